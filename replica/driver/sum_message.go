package driver

import (
	"encoding/binary"
	"fmt"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

// AskSum asks which checksum the rows of its receiver had after Slot. Who wants to
// write a snapshot of that slot to all others; sent again to those that did not say
// the same. One who has not applied the slot yet answers when he has.
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

// NoSum answers an AskSum for a slot whose checksum its sender does not know any
// more, or never did: it began at a later one.
//
//	no sum after slot 9
type NoSum struct{ Slot paxos.Slot }

// Relay is what From says of sums to To, by way of a third: From and To may not hear
// each other. The third sends it on as it is, once.
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

// appendSum appends the two lanes of a sum, 8 bytes each: they are no numbers that
// a varint would make shorter.
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

// invalidRelay says why nobody can have sent it, or "".
func invalidRelay(m Relay) string {
	switch m.M.(type) {
	case AskSum, TellSum, NoSum:
	default:
		return "a relay of something else than sums"
	}
	if m.From == 0 || m.To == 0 || m.From == m.To {
		return "a relay from nobody, or to nobody else"
	}
	return ""
}

// invalidSlot says why no rows can be those after a slot, or "".
func invalidSlot(s paxos.Slot) string {
	if s == 0 || s >= paxos.MaxSlot {
		return "a sum of no slot"
	}
	return ""
}
