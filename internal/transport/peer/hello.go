package peer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/chubbycell/chubby/internal/versions"
	"github.com/chubbycell/chubby/paxos"
)

const (
	magic     = "chubbypr"
	version   = 4 // the newest; those before, without formats, identities or disks, are spoken with replicas that know no other
	oldest    = 1
	maxCell   = 255
	maxReason = 1 << 10
)

// Disk tells the disk of a replica from every other one: the replica's own by its founding, and not by its
// number. The zero Disk is that of a replica that says none.
type Disk [16]byte

// Identity tells a cell from every other one, whatever their names are: it comes with the founding of the cell, and a
// restored cell has another one (rows.CellID). The zero Identity is that of a replica that has no rows of a founded cell
// yet.
type Identity uint64

// String is the name that backups of the cell have for it.
func (i Identity) String() string { return fmt.Sprintf("cell-%016x", uint64(i)) }

// hello is what the replica that dials says first.
type hello struct {
	version  uint16
	from, to paxos.NodeID
	cell     string
	disk     Disk     // from version 2 on
	identity Identity // from version 3 on
	formats  Formats  // from version 4 on; unsaid before
}

// answer is what the other one says to it.
type answer struct {
	version  uint16
	id       paxos.NodeID
	cell     string
	reason   string   // of a refusal; empty: accepted
	disk     Disk     // from version 2 on
	identity Identity // from version 3 on
	formats  Formats  // from version 4 on; unsaid before
}

// olderError is a refusal by a replica that speaks an older version, which this one speaks too.
type olderError struct{ version uint16 }

func (e *olderError) Error() string {
	return fmt.Sprintf("it speaks version %d of the protocol between replicas", e.version)
}

// errForeign is what speaks another protocol.
var errForeign = errors.New("it does not speak the protocol between replicas")

// errTLS is what speaks TLS where plain connections are configured.
var errTLS = errors.New("it speaks TLS")

// refusal is a handshake that failed because of who the two sides are.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

func (h hello) write(w io.Writer) error {
	b := binary.BigEndian.AppendUint16([]byte(magic), h.version)
	b = binary.BigEndian.AppendUint32(b, uint32(h.from))
	b = binary.BigEndian.AppendUint32(b, uint32(h.to))
	b = append(append(b, byte(len(h.cell))), h.cell...)
	if h.version > 1 {
		b = append(b, h.disk[:]...)
	}
	if h.version > 2 {
		b = binary.BigEndian.AppendUint64(b, uint64(h.identity))
	}
	if h.version > 3 {
		b = h.formats.append(b)
	}
	_, err := w.Write(b)
	return err
}

func (a answer) write(w io.Writer) error {
	b := binary.BigEndian.AppendUint16([]byte(magic), a.version)
	b = binary.BigEndian.AppendUint32(b, uint32(a.id))
	b = append(append(b, byte(len(a.cell))), a.cell...)
	reason := a.reason[:min(len(a.reason), maxReason)]
	b = append(binary.BigEndian.AppendUint16(b, uint16(len(reason))), reason...)
	if a.version > 1 {
		b = append(b, a.disk[:]...)
	}
	if a.version > 2 {
		b = binary.BigEndian.AppendUint64(b, uint64(a.identity))
	}
	if a.version > 3 {
		b = a.formats.append(b)
	}
	_, err := w.Write(b)
	return err
}

// reader reads fields until an error, which it keeps.
type reader struct {
	r   io.Reader
	err error
}

func (r *reader) bytes(n int) []byte {
	b := make([]byte, n)
	if r.err == nil {
		_, r.err = io.ReadFull(r.r, b)
	}
	return b
}

func (r *reader) u16() uint16 { return binary.BigEndian.Uint16(r.bytes(2)) }
func (r *reader) u32() uint32 { return binary.BigEndian.Uint32(r.bytes(4)) }
func (r *reader) u64() uint64 { return binary.BigEndian.Uint64(r.bytes(8)) }

// formats reads those of a handshake in a version.
func (r *reader) formats(v uint16) Formats {
	if v < 4 {
		return unsaid
	}
	b := r.bytes(4)
	return Formats{Messages: versions.Range{Oldest: b[0], Newest: b[1]}, Commands: versions.Range{Oldest: b[2], Newest: b[3]}}
}

func (f Formats) append(b []byte) []byte {
	return append(b, f.Messages.Oldest, f.Messages.Newest, f.Commands.Oldest, f.Commands.Newest)
}

// begin reads magic and version. It says nothing of what follows in another version.
func (r *reader) begin() uint16 {
	switch got := r.bytes(len(magic)); {
	case isTLS(got) && (r.err == nil || r.err == io.ErrUnexpectedEOF): // an alert is shorter than magic
		r.err = errTLS
	case r.err == nil && string(got) != magic:
		r.err = errForeign
	}
	return r.u16()
}

// isTLS reports whether bytes begin a handshake of TLS, or an alert.
func isTLS(b []byte) bool { return (b[0] == 22 || b[0] == 21) && b[1] == 3 }

func readHello(from io.Reader) (h hello, err error) {
	r := reader{r: from}
	if h.version = r.begin(); r.err == nil && (h.version < oldest || h.version > version) {
		return h, nil // the rest is not ours to read
	}
	h.from, h.to = paxos.NodeID(r.u32()), paxos.NodeID(r.u32())
	h.cell = string(r.bytes(int(r.bytes(1)[0])))
	if h.version > 1 {
		h.disk = Disk(r.bytes(len(h.disk)))
	}
	if h.version > 2 {
		h.identity = Identity(r.u64())
	}
	h.formats = r.formats(h.version)
	return h, r.err
}

func readAnswer(from io.Reader) (a answer, err error) {
	r := reader{r: from}
	a.version = r.begin()
	a.id = paxos.NodeID(r.u32())
	a.cell = string(r.bytes(int(r.bytes(1)[0])))
	n := int(r.u16())
	if r.err == nil && n > maxReason {
		return a, errForeign
	}
	a.reason = string(r.bytes(n))
	if a.version > 1 {
		a.disk = Disk(r.bytes(len(a.disk)))
	}
	if a.version > 2 {
		a.identity = Identity(r.u64())
	}
	a.formats = r.formats(a.version)
	return a, r.err
}

// check returns why this replica refuses a hello, or nil.
func (c *Config) check(h hello) error {
	_, known := c.Peers[h.from]
	switch {
	case h.version < oldest || h.version > version:
		return refuse("replica %d of cell %q speaks versions %d to %d of the protocol between replicas, and the other side version %d", c.Self, c.Cell, oldest, version, h.version)
	case h.cell != c.Cell:
		return refuse("this is cell %q, and replica %d is of cell %q", c.Cell, h.from, h.cell)
	case h.to != c.Self:
		return refuse("this is replica %d, and replica %d takes it for replica %d", c.Self, h.from, h.to)
	case !known:
		return refuse("replica %d is no member of cell %q, as far as replica %d is configured", h.from, c.Cell, c.Self)
	}
	return nil
}

// meets reports a peer's disk to Config.Meet, and returns why the peer is refused for it, or nil.
func (c *Config) meets(id paxos.NodeID, disk Disk) error {
	if c.Meet == nil || disk == (Disk{}) {
		return nil
	}
	if err := c.Meet(id, disk); err != nil {
		return refuse("%v", err)
	}
	return nil
}

// identity is what Config.Identity says, 0 without it.
func (c *Config) identity() Identity {
	if c.Identity == nil {
		return 0
	}
	return c.Identity()
}

// isOf returns why a peer is refused for the identity of its cell, or nil. A replica without an identity may yet get the
// rows of any cell.
func (c *Config) isOf(id paxos.NodeID, theirs Identity) error {
	if own := c.identity(); own != 0 && theirs != 0 && own != theirs {
		return refuse("replica %d has the rows of %v, and replica %d has those of %v: cell %q was founded twice, or restored at some of its members only. "+
			"One of the two must go: stop its replicas, and keep their directories until it is clear that nothing in them is missed", id, theirs, c.Self, own, c.Cell)
	}
	return nil
}

// greet makes the handshake of a connection to replica id, in a version, and says the identity own in it. It returns what
// the program of the other side knows.
func (c *Config) greet(rw io.ReadWriter, id paxos.NodeID, v uint16, own Identity) (Formats, error) {
	if err := (hello{version: v, from: c.Self, to: id, cell: c.Cell, disk: c.Disk, identity: own, formats: c.Formats}).write(rw); err != nil {
		return Formats{}, err
	}
	a, err := readAnswer(rw)
	switch {
	case err != nil:
		return Formats{}, fmt.Errorf("no answer to the handshake: %w", err)
	case a.reason != "" && oldest <= a.version && a.version < v:
		return Formats{}, &olderError{a.version}
	case a.reason != "":
		return Formats{}, refuse("refused by replica %d of cell %q: %s", a.id, a.cell, a.reason)
	case a.version != v || a.id != id || a.cell != c.Cell:
		return Formats{}, refuse("replica %d of cell %q answers, in version %d, where replica %d of cell %q should be", a.id, a.cell, a.version, id, c.Cell)
	}
	if err := c.fit(id, a.formats); err != nil {
		return Formats{}, err
	}
	if err := c.isOf(id, a.identity); err != nil {
		return Formats{}, err
	}
	return a.formats, c.meets(id, a.disk)
}
