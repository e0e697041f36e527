package snapshot

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// The layout is drawn in doc.go.
const (
	magic         = "CSNP"
	formatVersion = 1
	headerFixed   = 44 // without the members and the CRC
	headerPeek    = 16 // enough of a header to know its length
	frameHead     = 12 // of a chunk and of the end
	crcSize       = 4
	endSize       = frameHead + 8 + 8 + crcSize
	endSum        = frameHead + 8 // offset of the sum in the end
	maxHeader     = headerFixed + 4*MaxMembers + crcSize

	// MaxChunk bounds Options.ChunkSize, and what a reader allocates because of a length in a
	// file.
	MaxChunk = 16 << 20
)

// castagnoli returns the CRC-32C table, which the standard library makes once.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// layout is the content of a header.
type layout struct {
	handle Handle
	chunk  int    // bytes of data in each chunk but the last
	head   int64  // bytes of the header
	crc    uint32 // of the header: the CRC of each piece continues it
}

func headerSize(members int) int64 { return headerFixed + 4*int64(members) + crcSize }

// stride is the distance between the starts of two chunks.
func (l layout) stride() int64 { return frameHead + int64(l.chunk) + crcSize }

// appendHeader appends the header of a new snapshot, and returns its layout.
func appendHeader(dst []byte, h Handle, chunk int) ([]byte, layout) {
	start := len(dst)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint16(dst, formatVersion)
	dst = append(dst, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(chunk))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(h.Members)))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Slot))
	dst = binary.LittleEndian.AppendUint64(dst, h.Ballot.Round)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.Epoch))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(h.Ballot.Node))
	for _, m := range h.Members {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(m))
	}
	crc := crc32.Checksum(dst[start:], castagnoli())
	l := layout{handle: h.clone(), chunk: chunk, head: headerSize(len(h.Members)), crc: crc}
	return binary.LittleEndian.AppendUint32(dst, crc), l
}

// peekHeader returns the length of a header, given its first headerPeek bytes.
func peekHeader(file string, b []byte) (int64, error) {
	if string(b[:4]) != magic {
		return 0, damageError(file, 0, "not a snapshot file")
	}
	if v := binary.LittleEndian.Uint16(b[4:]); v != formatVersion {
		return 0, versionError(file, v)
	}
	if n := binary.LittleEndian.Uint32(b[12:]); n <= MaxMembers {
		return headerSize(int(n)), nil
	}
	return 0, damageError(file, 0, "header with more than %d members", MaxMembers)
}

// parseHeader decodes a header of the length that peekHeader returned.
func parseHeader(file string, b []byte) (layout, error) {
	end := len(b) - crcSize
	crc := crc32.Checksum(b[:end], castagnoli())
	if crc != binary.LittleEndian.Uint32(b[end:]) {
		return layout{}, damageError(file, 0, "wrong checksum of the header")
	}
	l := layout{head: int64(len(b)), crc: crc, handle: Handle{
		Slot:   Slot(binary.LittleEndian.Uint64(b[16:])),
		Ballot: Ballot{Round: binary.LittleEndian.Uint64(b[24:]), Node: NodeID(binary.LittleEndian.Uint32(b[40:]))},
		Epoch:  Epoch(binary.LittleEndian.Uint64(b[32:])),
	}}
	for m := range slices.Chunk(b[headerFixed:end], 4) {
		l.handle.Members = append(l.handle.Members, NodeID(binary.LittleEndian.Uint32(m)))
	}
	chunk := binary.LittleEndian.Uint32(b[8:])
	if b[6] != 0 || b[7] != 0 || chunk == 0 || chunk > MaxChunk {
		return layout{}, damageError(file, 0, "header with chunks of %d bytes", chunk)
	}
	l.chunk = int(chunk)
	if err := l.handle.check(); err != nil {
		return layout{}, damageError(file, 0, "%v", err)
	}
	return l, nil
}

// sealChunk completes a chunk in a buffer that begins with frameHead free bytes followed by the
// data.
func (l layout) sealChunk(b []byte, number uint64) []byte {
	binary.LittleEndian.PutUint64(b, number)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)-frameHead))
	return binary.LittleEndian.AppendUint32(b, crc32.Update(l.crc, castagnoli(), b))
}

// appendEnd appends the end of a snapshot; hash covers all bytes before it.
func (l layout) appendEnd(dst []byte, number, length uint64, hash *xxhash.Digest) ([]byte, uint64) {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint64(dst, number)
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	dst = binary.LittleEndian.AppendUint64(dst, length)
	_, _ = hash.Write(dst[start:]) // never fails
	sum := hash.Sum64()
	dst = binary.LittleEndian.AppendUint64(dst, sum)
	return binary.LittleEndian.AppendUint32(dst, crc32.Update(l.crc, castagnoli(), dst[start:])), sum
}
