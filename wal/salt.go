package wal

import (
	"encoding/binary"
	"hash/crc32"
)

// salt makes the frames of one segment unlike those of any other, and unlike the
// bytes that a client without it can write into an entry's data. Each frame shows a
// part of it and has all of it under its header's checksum.
type salt struct {
	bits uint64 // as drawn; they stand in the segment's header
	seed uint32 // checksum of bits, which those of frame headers continue
}

func newSalt(bits uint64) salt {
	return salt{bits: bits, seed: checksum(binary.LittleEndian.AppendUint64(nil, bits))}
}

// stamp is the part that each frame shows: 16 bits beside the 32 of the checksum.
// Bytes made without the salt must guess 48.
func (s salt) stamp() uint16 { return uint16(s.bits >> 48) }

// hasStamp reports whether the frame at the start of b, if it is one, shows the
// stamp.
func (s salt) hasStamp(b []byte) bool { return binary.LittleEndian.Uint16(b[6:]) == s.stamp() }

// sum is the checksum of a frame's header.
func (s salt) sum(b []byte) uint32 { return crc32.Update(s.seed, castagnoli(), b) }

// draw draws the salt of a new segment.
func (o Options) draw() salt {
	if o.Salt == nil {
		return newSalt(0)
	}
	return newSalt(o.Salt())
}
