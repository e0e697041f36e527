package wal

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/wal/vfs"
)

// segmentHeader is the size of a segment's header.
const segmentHeader = 36

const segmentMagic = "CWAL"

// segmentVersion is the version of the frames, too. Version 1 had no salt.
const segmentVersion = 2

// MaxSegmentSize bounds Options.SegmentSize, in bytes. A longer file is not a segment, and is not
// read.
const MaxSegmentSize = 256 << 20

// segment names one file of the log: the entries from first on. Numbers are never reused.
type segment struct {
	number uint64
	first  LSN
}

const segmentSuffix = ".wal"

func (s segment) name() string { return fmt.Sprintf("%016x"+segmentSuffix, s.number) }

// parseName is the inverse of name, as far as a name allows.
func parseName(name string) (number uint64, ok bool) {
	hex, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(hex) != 16 {
		return 0, false
	}
	_, err := fmt.Sscanf(hex, "%016x", &number)
	return number, err == nil && segment{number: number}.name() == name
}

// appendHeader appends the header of s.
func (s segment) appendHeader(dst []byte, its salt) []byte {
	start := len(dst)
	dst = append(dst, segmentMagic...)
	dst = binary.LittleEndian.AppendUint16(dst, segmentVersion)
	dst = append(dst, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, s.number)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.first))
	dst = binary.LittleEndian.AppendUint64(dst, its.bits)
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[start:]))
}

// parseSegment parses the header of a segment; file is for the error.
func parseSegment(b []byte, file string) (segment, salt, error) {
	if len(b) < segmentHeader || string(b[:4]) != segmentMagic {
		return segment{}, salt{}, damaged(file, 0, "no segment header")
	}
	if v := binary.LittleEndian.Uint16(b[4:]); v != segmentVersion {
		return segment{}, salt{}, wrongVersion(file, v, segmentVersion)
	}
	if checksum(b[:segmentHeader-crcSize]) != binary.LittleEndian.Uint32(b[segmentHeader-crcSize:]) {
		return segment{}, salt{}, damaged(file, 0, "checksum of the segment header")
	}
	s := segment{number: binary.LittleEndian.Uint64(b[8:]), first: LSN(binary.LittleEndian.Uint64(b[16:]))}
	if s.first == 0 {
		return segment{}, salt{}, damaged(file, 0, "segment header without a first number")
	}
	return s, newSalt(binary.LittleEndian.Uint64(b[24:])), nil
}

// readSegment reads the whole file of a segment, once its header shows that it is a segment; name
// is for the errors. It reads into room, if that is large enough.
func readSegment(f vfs.File, name string, room []byte) (b []byte, s segment, its salt, err error) {
	if b, err = readStart(f, segmentHeader); err != nil {
		return nil, s, its, err
	}
	if s, its, err = parseSegment(b, name); err != nil {
		return nil, s, its, err
	}
	size, err := f.Size()
	if err == nil && size > MaxSegmentSize {
		err = damaged(name, MaxSegmentSize, "%d bytes, of which a segment has at most %d", size, MaxSegmentSize)
	}
	if err != nil {
		return nil, s, its, err
	}
	b, err = readInto(room, f, size)
	return b, s, its, err
}
