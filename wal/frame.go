package wal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// LSN numbers the entries of one log, from 1, without gaps.
type LSN uint64

// Entry is one record of the log.
type Entry struct {
	LSN  LSN
	Kind uint8 // chosen by the owner; 0 is reserved
	// Tag is what the owner must know even if Data is lost: it is in the header of the frame, under
	// its checksum. At most MaxTag bytes.
	Tag []byte
	// Data is at most MaxData bytes.
	Data string
}

// Limits of an Entry.
const (
	MaxTag  = 32
	MaxData = 64 << 20
)

// Places in a frame (doc.go draws them).
const (
	frameFixed = 24 // before the tag
	frameMin   = frameFixed + crcSize
	crcSize    = 4
)

// kindMark is the kind of a frame that holds no entry, only a watermark.
const kindMark uint8 = 0

// castagnoli returns the table of CRC-32C, which package hash/crc32 computes once.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli()) }

// header is the part of a frame before its data.
type header struct {
	kind      uint8
	lsn       LSN // of a mark: of the last entry before it
	watermark LSN
	tag       []byte // shares the memory of what was parsed
	data      int    // bytes
	crc       uint32
}

// size returns the size of the whole frame.
func (h header) size() int64 {
	n := int64(frameMin + len(h.tag) + h.data)
	if h.data > 0 {
		n += crcSize
	}
	return n
}

// check returns an error if Append must not accept e as the entry with number want.
func (e *Entry) check(want LSN) error {
	switch {
	case e.LSN != want:
		return fmt.Errorf("wal: %w: #%d where #%d is next", ErrEntry, e.LSN, want)
	case e.Kind == kindMark:
		return fmt.Errorf("wal: %w: #%d has kind 0", ErrEntry, e.LSN)
	case len(e.Tag) > MaxTag || len(e.Data) > MaxData:
		return fmt.Errorf("wal: %w: #%d has a tag of %d and data of %d bytes", ErrEntry, e.LSN, len(e.Tag), len(e.Data))
	}
	return nil
}

// frameSize returns the size of the frame of e.
func frameSize(e *Entry) int64 {
	return header{tag: e.Tag, data: len(e.Data)}.size()
}

// appendFrame appends the frame of e, for the segment with this salt. The frame states that
// everything up to watermark was synced before.
func (s salt) appendFrame(dst []byte, e *Entry, watermark LSN) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(e.Data)))
	dst = append(dst, e.Kind, uint8(len(e.Tag)))
	dst = binary.LittleEndian.AppendUint16(dst, s.stamp())
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.LSN))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(watermark))
	dst = append(dst, e.Tag...)
	crc := s.sum(dst[start:])
	dst = binary.LittleEndian.AppendUint32(dst, crc)
	if len(e.Data) > 0 {
		at := len(dst)
		dst = append(dst, e.Data...)
		crc = crc32.Update(crc, castagnoli(), dst[at:])
		dst = binary.LittleEndian.AppendUint32(dst, crc)
	}
	return dst
}

// parseHeader parses the header at the start of b. It returns false unless the header is of the
// salt's segment, the fields make sense, and the whole frame lies within b.
func (s salt) parseHeader(b []byte) (header, bool) {
	if len(b) < frameMin {
		return header{}, false
	}
	h := header{
		kind:      b[4],
		lsn:       LSN(binary.LittleEndian.Uint64(b[8:])),
		watermark: LSN(binary.LittleEndian.Uint64(b[16:])),
	}
	data, tag := binary.LittleEndian.Uint32(b), int(b[5])
	if tag > MaxTag || data > MaxData || !s.hasStamp(b) || !h.isSensible(data) || len(b) < frameMin+tag {
		return header{}, false
	}
	h.tag, h.data = b[frameFixed:frameFixed+tag:frameFixed+tag], int(data)
	h.crc = binary.LittleEndian.Uint32(b[frameFixed+tag:])
	if h.size() > int64(len(b)) || s.sum(b[:frameFixed+tag]) != h.crc {
		return header{}, false
	}
	return h, true
}

// isSensible reports whether a frame could have been written with these numbers.
func (h header) isSensible(data uint32) bool {
	if h.kind == kindMark {
		return h.lsn > 0 && h.watermark <= h.lsn && data == 0
	}
	return h.watermark < h.lsn
}

// payload returns the data of a frame and whether its checksum is correct. b starts with the frame.
func (h header) payload(b []byte) ([]byte, bool) {
	if h.data == 0 {
		return nil, true
	}
	at := frameMin + len(h.tag)
	data := b[at : at+h.data]
	want := binary.LittleEndian.Uint32(b[at+h.data:])
	return data, crc32.Update(h.crc, castagnoli(), data) == want
}
