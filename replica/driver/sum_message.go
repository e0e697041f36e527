package driver

import (
	"encoding/binary"
	"fmt"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

// AskSum asks which checksum the rows of its receiver had after Slot. A replica that wants
// to write a snapshot of that slot sends it to all others, and again to those that have
// not reported the same sum. A receiver that has not applied the slot yet answers when it
// has.
//
//	ask sum after slot 9
type AskSum struct{ Slot paxos.Slot }

// TellSum answers an AskSum, and may be lost. It claims that its sender has applied
// the slot, and kept this checksum while it did.
//
//	sum after slot 9 is 0000000000000001000000000000000f
type TellSum struct {
	Slot paxos.Slot
	Sum  db.Sum
}

// NoSum answers an AskSum for a slot whose checksum its sender has dropped, or never had
// because its rows began with a later snapshot.
//
//	no sum after slot 9
type NoSum struct{ Slot paxos.Slot }

// Relay is a message about sums from From to To by way of a third replica: From and To may
// not hear each other. The third sends it on unchanged, once.
//
//	replica 4 to replica 2: ask sum after slot 9
type Relay struct {
	From, To paxos.NodeID
	M        Transfer // an AskSum, a TellSum or a NoSum
}

func (AskSum) transfer()  {}
func (TellSum) transfer() {}
func (NoSum) transfer()   {}
func (Relay) transfer()   {}

func (m AskSum) String() string  { return fmt.Sprintf("ask sum after slot %d", m.Slot) }
func (m TellSum) String() string { return fmt.Sprintf("sum after slot %d is %v", m.Slot, m.Sum) }
func (m NoSum) String() string   { return fmt.Sprintf("no sum after slot %d", m.Slot) }
func (m Relay) String() string   { return fmt.Sprintf("replica %d to replica %d: %v", m.From, m.To, m.M) }

// appendSum appends the two halves of a sum, 8 bytes each: a varint would not make them
// shorter.
func appendSum(dst []byte, s db.Sum) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, s.A)
	return binary.LittleEndian.AppendUint64(dst, s.B)
}

func (r *reader) sum() (s db.Sum) {
	if len(r.rest) < 16 {
		r.rest, r.bad = "", true
		return s
	}
	b := []byte(r.rest[:16])
	r.rest = r.rest[16:]
	return db.Sum{A: binary.LittleEndian.Uint64(b), B: binary.LittleEndian.Uint64(b[8:])}
}

// invalidRelay says why no correct driver sends m, or "".
func invalidRelay(m Relay) string {
	switch m.M.(type) {
	case AskSum, TellSum, NoSum:
	default:
		return "a relay of something other than sums"
	}
	if m.From == 0 || m.To == 0 || m.From == m.To {
		return "a relay without two different ends"
	}
	return ""
}

// invalidSlot says why there are no rows after s, or "".
func invalidSlot(s paxos.Slot) string {
	if s == 0 || s >= paxos.MaxSlot {
		return "a sum of no slot"
	}
	return ""
}
