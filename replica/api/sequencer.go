package api

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/chubbycell/chubby/internal/versions"
)

// Sequencer describes a lock as it was just after it was acquired: which lock, in which mode, at
// which generation. A holder gets it and passes it to servers with its requests, and the servers
// check it. It is valid as long as the lock is held in this mode at this generation. It describes
// the lock, not one holder: all holders of a shared lock have the same sequencer.
//
// Programs pass it on as a line of text: Text and ParseSequencerText. Messages and the log hold its
// bytes: Encode and ParseSequencer.
type Sequencer struct {
	Node Ref
	Mode Mode
	Gen  LockGen
}

const kindSequencer byte = 'S'

// MaxSequencer is the longest encoded sequencer, in bytes.
const MaxSequencer = 2 + 2 + MaxPath + 10 + 1 + 10

// Valid reports whether s could describe a lock.
func (s Sequencer) Valid() bool { return s.Node.Instance != 0 && s.Mode.Valid() && s.Gen != 0 }

// Encode returns the bytes of s, which begin with the version of the format. It also encodes an s
// that is not Valid; ParseSequencer refuses those bytes.
func (s Sequencer) Encode() string {
	dst := AppendPath([]byte{sequencerVersion, kindSequencer}, s.Node.Path)
	dst = binary.AppendUvarint(dst, uint64(s.Node.Instance))
	dst = append(dst, byte(s.Mode))
	return string(binary.AppendUvarint(dst, uint64(s.Gen)))
}

// ParseSequencer is the inverse of Encode. It returns ErrMalformed with the reason for bytes that
// are not the encoding of a Valid sequencer. Well-formed bytes may be forged. Sequencers need no
// check digits here, since a server trusts one only after the cell has said that it is valid.
func ParseSequencer(text string) (Sequencer, error) {
	if len(text) > MaxSequencer {
		return Sequencer{}, fmt.Errorf("%w: a sequencer of %d bytes", ErrMalformed, len(text))
	}
	c := cursor{s: text}
	c.open(versions.Range{Oldest: sequencerVersion, Newest: sequencerVersion}, kindSequencer)
	s := Sequencer{Node: Ref{Path: c.path(), Instance: Instance(c.uint())}, Mode: Mode(c.byte()), Gen: LockGen(c.uint())}
	if err := c.close(); err != nil {
		return Sequencer{}, err
	}
	if !s.Valid() {
		return Sequencer{}, fmt.Errorf("%w: no lock is %v", ErrMalformed, s)
	}
	return s, nil
}

// textSum is the polynomial of the check digits of Text.
var textSum = crc32.MakeTable(crc32.Castagnoli)

// textDigits is the size of the check digits of Text, in bytes.
const textDigits = 4

// Text returns s in the form in which programs pass it on. It has only letters, digits, "-" and
// "_", so that JSON, a URL, an HTTP header or an environment variable can carry it unchanged. It
// ends with check digits, which detect truncation and changes on the way. They prove nothing:
// anyone can make them.
func (s Sequencer) Text() string {
	b := []byte(s.Encode())
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, textSum))
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseSequencerText is the inverse of Text. It returns ErrMalformed with the reason for a text
// that is not the Text of a Valid sequencer. A text that it accepts may be forged, see
// ParseSequencer.
func ParseSequencerText(text string) (Sequencer, error) {
	if most := base64.RawURLEncoding.EncodedLen(MaxSequencer + textDigits); len(text) > most {
		return Sequencer{}, fmt.Errorf("%w: a sequencer of %d characters, and the longest has %d", ErrMalformed, len(text), most)
	}
	if i := strangeIn(text); i >= 0 {
		return Sequencer{}, fmt.Errorf("%w: byte %d of %d is %q, and a sequencer has letters, digits, - and _ only", ErrMalformed, i+1, len(text), text[i:i+1])
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	size := len(b) - textDigits
	if err != nil || size < 0 || crc32.Checksum(b[:size], textSum) != binary.BigEndian.Uint32(b[size:]) {
		return Sequencer{}, fmt.Errorf("%w: the check digits do not fit the %d characters: it is no sequencer, or one that was cut or changed", ErrMalformed, len(text))
	}
	return ParseSequencer(string(b[:size]))
}

// strangeIn returns the index of the first byte of a text that Text does not use, or -1.
func strangeIn(text string) int {
	for i := range len(text) {
		c := text[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return i
		}
	}
	return -1
}

// String returns the lock, the mode and the generation.
func (s Sequencer) String() string { return fmt.Sprintf("%v %v generation %d", s.Node, s.Mode, s.Gen) }
