package wal

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// segmentHeader is the size of what a segment starts with.
const segmentHeader = 28

const segmentMagic = "CWAL"

// segment names one file of the log: the entries from first on. Numbers are
// never used again.
type segment struct {
	number uint64
	first  LSN
}

const segmentSuffix = ".wal"

func (s segment) name() string { return fmt.Sprintf("%016x"+segmentSuffix, s.number) }

// parseName is the inverse of name, as far as a name can tell.
func parseName(name string) (number uint64, ok bool) {
	hex, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(hex) != 16 {
		return 0, false
	}
	_, err := fmt.Sscanf(hex, "%016x", &number)
	return number, err == nil && segment{number: number}.name() == name
}

// appendHeader appends the header of s.
func (s segment) appendHeader(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, segmentMagic...)
	dst = binary.LittleEndian.AppendUint16(dst, formatVersion)
	dst = append(dst, 0, 0)
	dst = binary.LittleEndian.AppendUint64(dst, s.number)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.first))
	return binary.LittleEndian.AppendUint32(dst, checksum(dst[start:]))
}

// parseSegment reads the header of a segment; file is for the error.
func parseSegment(b []byte, file string) (segment, error) {
	if len(b) < segmentHeader || string(b[:4]) != segmentMagic {
		return segment{}, damaged(file, 0, "no segment header")
	}
	if v := binary.LittleEndian.Uint16(b[4:]); v != formatVersion {
		return segment{}, wrongVersion(file, v)
	}
	if checksum(b[:segmentHeader-crcSize]) != binary.LittleEndian.Uint32(b[segmentHeader-crcSize:]) {
		return segment{}, damaged(file, 0, "checksum of the segment header")
	}
	s := segment{number: binary.LittleEndian.Uint64(b[8:]), first: LSN(binary.LittleEndian.Uint64(b[16:]))}
	if s.first == 0 {
		return segment{}, damaged(file, 0, "segment header without a first number")
	}
	return s, nil
}
