package lock

import (
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Validity is what the rows say about a sequencer. The zero Validity is none of
// them.
type Validity uint8

// The validities, in the order in which they are tested.
const (
	// Valid: the lock is held now, in this mode, at this generation.
	Valid Validity = 1 + iota
	// NotHeld: the lock is free now; a delay may be running. Also where the node does not
	// exist any more.
	NotHeld
	// OtherGen: the lock is held, but was free in between: the sequencer is that of a
	// former holder.
	OtherGen
	// WrongMode: the lock is held at this generation in the other mode. GetSequencer never
	// returned such a sequencer.
	WrongMode
)

// String prints the validity as traces do.
func (v Validity) String() string {
	if v < Valid || v > WrongMode {
		return fmt.Sprintf("validity(%d)", uint8(v))
	}
	return [...]string{Valid: "valid", NotHeld: "not-held", OtherGen: "other-generation", WrongMode: "wrong-mode"}[v]
}

// CheckSequencer says whether a sequencer is valid at this place of the log.
func CheckSequencer(r Reader, q api.Sequencer) Validity {
	s := Get(r, q.Node)
	switch {
	case s.Mode == 0:
		return NotHeld
	case s.Gen != q.Gen:
		return OtherGen
	case s.Mode != q.Mode:
		return WrongMode
	}
	return Valid
}

// GetSequencer returns the sequencer of the lock that o holds, and whether it
// holds one.
func GetSequencer(r Reader, o Owner) (q api.Sequencer, ok bool) {
	n, ok := HeldBy(r, o)
	if !ok {
		return api.Sequencer{}, false
	}
	s := Get(r, n)
	return api.Sequencer{Node: n, Mode: s.Mode, Gen: s.Gen}, true
}
