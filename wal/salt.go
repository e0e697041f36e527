package wal

import (
	"encoding/binary"
	"hash/crc32"
)

// salt makes the frames of one segment different from those of any other, and from the bytes that a
// client without the salt can write into an entry's data. Each frame shows a part of it, and its
// header's checksum covers all of it.
type salt struct {
	bits uint64 // as drawn; they are in the segment's header
	seed uint32 // checksum of bits; the checksums of frame headers continue it
}

func newSalt(bits uint64) salt {
	return salt{bits: bits, seed: checksum(binary.LittleEndian.AppendUint64(nil, bits))}
}

// stamp returns the part that each frame shows: 16 bits in addition to the 32 of the checksum.
// Bytes made without the salt must guess 48 bits.
func (s salt) stamp() uint16 { return uint16(s.bits >> 48) }

// hasStamp reports whether the frame at the start of b, if it is one, shows the
// stamp.
func (s salt) hasStamp(b []byte) bool { return binary.LittleEndian.Uint16(b[6:]) == s.stamp() }

// sum returns the checksum of a frame's header.
func (s salt) sum(b []byte) uint32 { return crc32.Update(s.seed, castagnoli(), b) }

// draw draws the salt of a new segment.
func (o Options) draw() salt {
	if o.Salt == nil {
		return newSalt(0)
	}
	return newSalt(o.Salt())
}
