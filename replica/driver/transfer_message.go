package driver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/chubbycell/chubby/paxos"
)

// SnapshotID identifies one snapshot, also among those of the same slot: pieces of two
// are never mixed. The zero ID names none.
type SnapshotID struct {
	Handle paxos.Handle
	Size   int64  // bytes in all
	Sum    uint64 // of all bytes
}

// IsZero reports that id names no snapshot.
func (id SnapshotID) IsZero() bool { return id.Handle.Slot == 0 }

// Equal reports that two IDs name the same snapshot.
func (id SnapshotID) Equal(o SnapshotID) bool {
	return id.Size == o.Size && id.Sum == o.Sum && id.Handle.Equal(o.Handle)
}

// String is one line.
func (id SnapshotID) String() string {
	if id.IsZero() {
		return "any snapshot"
	}
	return fmt.Sprintf("snapshot of %v, %d bytes, sum %016x", id.Handle, id.Size, id.Sum)
}

// Transfer is one of the structs of this file and of sum_message.go: the messages between
// drivers, beside those of package paxos.
type Transfer interface{ transfer() }

// Ask asks for a piece of a snapshot. A laggard sends it to its source, again until it is
// answered, then to another source. The first Ask names no snapshot: any of slot Slot or
// above will do, from its beginning.
//
//	ask any snapshot of slot 9 on
//	ask snapshot of slot 9 ..., 300 bytes, sum ... at 128
type Ask struct {
	ID     SnapshotID
	Slot   paxos.Slot // where ID is zero
	Offset int64
}

func (m Ask) equal(o Ask) bool {
	return m.Slot == o.Slot && m.Offset == o.Offset && m.ID.Equal(o.ID)
}

// Piece is bytes of one snapshot, which is durable at its sender. It answers an
// Ask and may be lost.
//
//	piece of snapshot of slot 9 ..., 300 bytes, sum ... [128,256)
type Piece struct {
	ID     SnapshotID
	Offset int64
	Data   string // not empty
}

// Gone answers an Ask for a snapshot that its sender does not have, or not any more. It
// repeats what the Ask asked for.
//
//	gone any snapshot of slot 9 on
type Gone struct {
	ID   SnapshotID
	Slot paxos.Slot
}

func (Ask) transfer()   {}
func (Piece) transfer() {}
func (Gone) transfer()  {}

func (m Ask) String() string {
	if m.ID.IsZero() {
		return fmt.Sprintf("ask %v of slot %d on", m.ID, m.Slot)
	}
	return fmt.Sprintf("ask %v at %d", m.ID, m.Offset)
}

func (m Piece) String() string {
	return fmt.Sprintf("piece of %v [%d,%d)", m.ID, m.Offset, m.Offset+int64(len(m.Data)))
}

func (m Gone) String() string {
	if m.ID.IsZero() {
		return fmt.Sprintf("gone %v of slot %d on", m.ID, m.Slot)
	}
	return fmt.Sprintf("gone %v", m.ID)
}

// Wire format: a version byte and a kind byte as in package paxos, which knows
// none of these kinds, then the fields in the order of the struct. Numbers are
// unsigned varints; an ID is its handle (slot, round, node, epoch, count of
// members, members), size and sum; a checksum of rows is its two halves, 8 bytes
// each, little endian; the message in a Relay comes last, with its own version and kind.
// Kinds are never used again.
const (
	wireVersion = 1

	kindAsk     = 64
	kindPiece   = 65
	kindGone    = 66
	kindAskSum  = 67
	kindTellSum = 68
	kindNoSum   = 69
	kindRelay   = 70
)

// ErrMalformed is what every decoding error is: the bytes are no Transfer.
var ErrMalformed = errors.New("driver: malformed transfer")

// IsTransfer reports whether bytes from a peer are for DecodeTransfer and not for
// paxos.DecodeMessage.
func IsTransfer(wire string) bool {
	return len(wire) >= 2 && wire[0] == wireVersion && wire[1] >= kindAsk && wire[1] <= kindRelay
}

// AppendTransfer appends the encoding of m to dst.
func AppendTransfer(dst []byte, m Transfer) []byte {
	switch m := m.(type) {
	case Ask:
		dst = appendID(append(dst, wireVersion, kindAsk), m.ID)
		dst = binary.AppendUvarint(dst, uint64(m.Slot))
		return binary.AppendUvarint(dst, uint64(m.Offset))
	case Piece:
		dst = appendID(append(dst, wireVersion, kindPiece), m.ID)
		dst = binary.AppendUvarint(dst, uint64(m.Offset))
		return append(dst, m.Data...)
	case Gone:
		dst = appendID(append(dst, wireVersion, kindGone), m.ID)
		return binary.AppendUvarint(dst, uint64(m.Slot))
	case AskSum:
		return binary.AppendUvarint(append(dst, wireVersion, kindAskSum), uint64(m.Slot))
	case TellSum:
		return appendSum(binary.AppendUvarint(append(dst, wireVersion, kindTellSum), uint64(m.Slot)), m.Sum)
	case NoSum:
		return binary.AppendUvarint(append(dst, wireVersion, kindNoSum), uint64(m.Slot))
	case Relay:
		dst = binary.AppendUvarint(append(dst, wireVersion, kindRelay), uint64(m.From))
		return AppendTransfer(binary.AppendUvarint(dst, uint64(m.To)), m.M)
	}
	panic(fmt.Sprintf("driver: transfer %T has no encoding", m))
}

func appendID(dst []byte, id SnapshotID) []byte {
	h := &id.Handle
	for _, n := range []uint64{uint64(h.Slot), h.Ballot.Round, uint64(h.Ballot.Node), h.Epoch, uint64(len(h.Members))} {
		dst = binary.AppendUvarint(dst, n)
	}
	for _, m := range h.Members {
		dst = binary.AppendUvarint(dst, uint64(m))
	}
	dst = binary.AppendUvarint(dst, uint64(id.Size))
	return binary.AppendUvarint(dst, id.Sum)
}

// DecodeTransfer reads one Transfer, which must be all of wire, and checks that
// a correct driver could have sent it. A Piece shares wire's memory.
func DecodeTransfer(wire string) (Transfer, error) {
	if !IsTransfer(wire) {
		return nil, fmt.Errorf("%w: %d bytes of another kind", ErrMalformed, len(wire))
	}
	r := reader{rest: wire[2:]}
	var m Transfer
	switch wire[1] {
	case kindAsk:
		m = Ask{ID: r.id(), Slot: paxos.Slot(r.num()), Offset: r.offset()}
	case kindPiece:
		p := Piece{ID: r.id(), Offset: r.offset()}
		p.Data, r.rest = r.rest, ""
		m = p
	case kindGone:
		m = Gone{ID: r.id(), Slot: paxos.Slot(r.num())}
	case kindAskSum:
		m = AskSum{Slot: paxos.Slot(r.num())}
	case kindTellSum:
		m = TellSum{Slot: paxos.Slot(r.num()), Sum: r.sum()}
	case kindNoSum:
		m = NoSum{Slot: paxos.Slot(r.num())}
	case kindRelay:
		way := Relay{From: r.node(), To: r.node()}
		if r.bad || !IsTransfer(r.rest) || r.rest[1] == kindRelay {
			return nil, fmt.Errorf("%w: a relay of nothing, or of another", ErrMalformed)
		}
		var err error
		if way.M, err = DecodeTransfer(r.rest); err != nil {
			return nil, err
		}
		m, r.rest = way, ""
	}
	if r.bad || r.rest != "" {
		return nil, fmt.Errorf("%w: fields do not fit", ErrMalformed)
	}
	if why := invalid(m); why != "" {
		return nil, fmt.Errorf("%w: %s", ErrMalformed, why)
	}
	return m, nil
}

// invalid says why no correct driver could have sent m, or "".
func invalid(m Transfer) string {
	switch m := m.(type) {
	case Ask:
		if m.ID.IsZero() == (m.Slot == 0) || m.Slot == paxos.MaxSlot {
			return "it asks for no snapshot, or for two"
		}
		if m.Offset > 0 && m.Offset >= m.ID.Size {
			return "offset outside the snapshot"
		}
		return invalidID(m.ID)
	case Piece:
		if m.ID.IsZero() || m.Data == "" || int64(len(m.Data)) > m.ID.Size-m.Offset {
			return "piece outside the snapshot"
		}
		return invalidID(m.ID)
	case Gone:
		if m.ID.IsZero() == (m.Slot == 0) {
			return "it answers no question, or two"
		}
		return invalidID(m.ID)
	case AskSum:
		return invalidSlot(m.Slot)
	case TellSum:
		return invalidSlot(m.Slot)
	case NoSum:
		return invalidSlot(m.Slot)
	case Relay:
		return invalidRelay(m)
	}
	return "unknown transfer"
}

// maxMembers bounds what a decoder allocates before it has checked the rest.
const maxMembers = 64

func invalidID(id SnapshotID) string {
	h := &id.Handle
	if id.IsZero() {
		if !id.Equal(SnapshotID{}) {
			return "a snapshot of no slot"
		}
		return ""
	}
	if id.Size <= 0 || h.Slot == paxos.MaxSlot || len(h.Members) == 0 {
		return "malformed name of a snapshot"
	}
	for i := range h.Members {
		if h.Members[i] == 0 || i > 0 && h.Members[i-1] >= h.Members[i] {
			return "members out of order"
		}
	}
	return ""
}

// reader takes fields from bytes. After the first that does not fit it returns zeros.
type reader struct {
	rest string
	bad  bool
}

func (r *reader) num() uint64 {
	var x uint64
	for i := 0; i < len(r.rest) && i < binary.MaxVarintLen64; i++ {
		c := r.rest[i]
		x |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.bad = r.bad || c == 0 && i > 0 || i == binary.MaxVarintLen64-1 && c > 1
			r.rest = r.rest[i+1:]
			return x
		}
	}
	r.rest, r.bad = "", true
	return 0
}

func (r *reader) node() paxos.NodeID {
	x := r.num()
	r.bad = r.bad || x > math.MaxUint32
	return paxos.NodeID(x)
}

func (r *reader) offset() int64 {
	x := r.num()
	r.bad = r.bad || x > math.MaxInt64
	return int64(x)
}

func (r *reader) id() (id SnapshotID) {
	h := &id.Handle
	h.Slot, h.Ballot.Round, h.Ballot.Node, h.Epoch = paxos.Slot(r.num()), r.num(), r.node(), r.num()
	n := r.num()
	if n > maxMembers {
		r.bad = true
		return id
	}
	for range n {
		h.Members = append(h.Members, r.node())
	}
	id.Size, id.Sum = r.offset(), r.num()
	return id
}
