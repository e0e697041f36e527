package db

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// The stream of a view. Numbers are little-endian unless they are uvarints.
//
//	header   "chubbydb" | version u16 = 1 | 0 u16 | CRC u32
//	chunk    length u32 > 0 | CRC u32 | rows
//	...
//	trailer  length u32 = 0 | CRC u32 | rows u64 | sum lane A u64 | sum lane B u64
//
//	row      key length uvarint | key | value length uvarint | value
//
// Rows ascend by key over the whole stream, and none spans two chunks. Each CRC is CRC-32C, seeded
// with the CRC of the part before it, over the length and the bytes after the CRC field: a lost,
// duplicated or moved chunk is detected at its place, not at the end. The trailer repeats the
// checksum of all rows, so that the loaded rows are compared with the written ones independently of
// the encoding.
const (
	magic       = "chubbydb"
	version     = 1
	headerSize  = 16
	prefixSize  = 8
	trailerSize = 24

	// ChunkSize is the size at which WriteTo ends a chunk.
	ChunkSize = 64 << 10

	// maxChunk bounds what Load allocates before it has verified a checksum.
	maxChunk = 2 * MaxRow
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteTo writes all rows to w in pieces of about ChunkSize, and returns the number of bytes
// written. It returns an error of w unchanged. It recomputes the checksum while it writes: with
// ErrChanged the rows differ from the maintained checksum, and the stream has no trailer.
func (v View) WriteTo(w io.Writer) (int64, error) { return v.WriteChunks(w, ChunkSize) }

// WriteChunks is WriteTo with chunks that end as soon as they reach size bytes; with size 1
// each row is a chunk.
func (v View) WriteChunks(w io.Writer, size int) (int64, error) {
	s := streamWriter{w: w, size: size}
	s.header(v)
	for key, value := range v.Ascend("", "") {
		if s.row(key, value); s.err != nil {
			break
		}
	}
	s.flush()
	if s.err == nil && s.sum != v.sum {
		s.err = fmt.Errorf("%w: checksum %v, maintained %v", ErrChanged, s.sum, v.sum)
	}
	s.trailer(v)
	return s.n, s.err
}

// streamWriter does nothing after the first error.
type streamWriter struct {
	w    io.Writer
	size int
	buf  []byte // the current chunk, after room for its prefix
	crc  uint32 // of the last part
	sum  Sum    // of the rows so far
	n    int64
	err  error
}

// lastRow is the initial room for the row that ends a chunk.
const lastRow = 4 << 10

// header writes the header, and allocates room for a chunk, or for all rows if they are
// smaller: most cells are far smaller than a chunk.
func (s *streamWriter) header(v View) {
	b := binary.LittleEndian.AppendUint16([]byte(magic), version)
	b = append(b, 0, 0)
	s.crc = crc32.Checksum(b, castagnoli)
	s.write(binary.LittleEndian.AppendUint32(b, s.crc))
	all := v.bytes + 2*binary.MaxVarintLen32*int64(v.Len())
	s.buf = make([]byte, prefixSize, prefixSize+max(int(min(all, int64(s.size+lastRow))), trailerSize))
}

func (s *streamWriter) row(key, value string) {
	s.sum = s.sum.plus(rowSum(key, value))
	s.buf = binary.AppendUvarint(s.buf, uint64(len(key)))
	s.buf = append(s.buf, key...)
	s.buf = binary.AppendUvarint(s.buf, uint64(len(value)))
	s.buf = append(s.buf, value...)
	if len(s.buf)-prefixSize >= s.size {
		s.flush()
	}
}

func (s *streamWriter) flush() {
	if len(s.buf) > prefixSize {
		s.part(uint32(len(s.buf) - prefixSize))
	}
}

func (s *streamWriter) trailer(v View) {
	s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(v.Len()))
	s.buf = binary.LittleEndian.AppendUint64(s.buf, v.sum.A)
	s.buf = binary.LittleEndian.AppendUint64(s.buf, v.sum.B)
	s.part(0)
}

// part writes the buffer with its length and CRC.
func (s *streamWriter) part(length uint32) {
	binary.LittleEndian.PutUint32(s.buf, length)
	s.crc = partCRC(s.crc, s.buf[:4], s.buf[prefixSize:])
	binary.LittleEndian.PutUint32(s.buf[4:], s.crc)
	s.write(s.buf)
	s.buf = s.buf[:prefixSize]
}

func (s *streamWriter) write(b []byte) {
	if s.err != nil {
		return
	}
	n, err := s.w.Write(b)
	s.n += int64(n)
	s.err = err
}

func partCRC(before uint32, length, body []byte) uint32 {
	return crc32.Update(crc32.Update(before, castagnoli, length), castagnoli, body)
}
