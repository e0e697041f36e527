package api

import (
	"encoding/binary"
	"fmt"
)

// Sequencer describes a lock as it was just after it was acquired: which lock, in which
// mode, at which generation. A holder asks for it and passes it to servers with its
// requests, and they check it: it is valid as long as the lock is held in this mode at this
// generation. It describes the lock, not one holder: all holders of a shared lock have the
// same one.
//
// Programs pass it as an opaque string of bytes: Encode and ParseSequencer.
type Sequencer struct {
	Node Ref
	Mode Mode
	Gen  LockGen
}

const kindSequencer byte = 'S'

// MaxSequencer is the longest encoded sequencer, in bytes.
const MaxSequencer = 2 + 2 + MaxPath + 10 + 1 + 10

// Valid says that s could describe a lock.
func (s Sequencer) Valid() bool { return s.Node.Instance != 0 && s.Mode.Valid() && s.Gen != 0 }

// Encode returns the bytes of s, which begin with the version of the format. An
// s that is not Valid has bytes too, which ParseSequencer refuses.
func (s Sequencer) Encode() string {
	dst := AppendPath([]byte{sequencerVersion, kindSequencer}, s.Node.Path)
	dst = binary.AppendUvarint(dst, uint64(s.Node.Instance))
	dst = append(dst, byte(s.Mode))
	return string(binary.AppendUvarint(dst, uint64(s.Gen)))
}

// ParseSequencer is the inverse of Encode. It returns ErrMalformed with the
// reason for bytes that Encode does not make of a Valid sequencer. Well-formed bytes may be
// forged: sequencers carry no check digits, since a server trusts one only after the cell
// has said that it is valid.
func ParseSequencer(text string) (Sequencer, error) {
	if len(text) > MaxSequencer {
		return Sequencer{}, fmt.Errorf("%w: a sequencer of %d bytes", ErrMalformed, len(text))
	}
	c := cursor{s: text}
	c.open(sequencerVersion, kindSequencer)
	s := Sequencer{Node: Ref{Path: c.path(), Instance: Instance(c.uint())}, Mode: Mode(c.byte()), Gen: LockGen(c.uint())}
	if err := c.close(); err != nil {
		return Sequencer{}, err
	}
	if !s.Valid() {
		return Sequencer{}, fmt.Errorf("%w: no lock is %v", ErrMalformed, s)
	}
	return s, nil
}

// String prints the lock, the mode and the generation.
func (s Sequencer) String() string { return fmt.Sprintf("%v %v generation %d", s.Node, s.Mode, s.Gen) }
