package snapshot

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cespare/xxhash/v2"
)

// checker goes through the pieces of one snapshot, header, chunks, end, and
// decides for each whether it is the one that belongs there. It reads no file:
// reader feeds it from one, Installer from what a peer sends.
type checker struct {
	file   string // for errors
	l      layout
	off    int64          // of the piece that comes next; 0: the header
	number uint64         // that it must have
	length uint64         // of all data so far
	short  bool           // the last chunk was not full: the end must come
	hash   *xxhash.Digest // of all so far; nil: it began in the middle
	sum    uint64         // as the end states it
	done   bool           // the end was good
	spent  bool           // the end was that of something else
}

func newChecker(file string) checker { return checker{file: file, hash: xxhash.New()} }

// peek is how many bytes of the next piece need wants.
func (c *checker) peek() int {
	if c.off == 0 {
		return headerPeek
	}
	return frameHead
}

// most is how long the next piece can be.
func (c *checker) most() int64 {
	if c.off == 0 {
		return maxHeader
	}
	return max(c.l.stride(), endSize)
}

// need tells from its beginning how long the next piece is.
func (c *checker) need(b []byte) (int64, error) {
	if c.off == 0 {
		return peekHeader(c.file, b)
	}
	n := int64(binary.LittleEndian.Uint32(b[8:]))
	switch {
	case n == 0:
		return endSize, nil
	case n > int64(c.l.chunk):
		return 0, damaged(c.file, c.off, "a chunk of %d bytes, at most %d", n, c.l.chunk)
	}
	return frameHead + n + crcSize, nil
}

// take judges the next piece, which is as long as need told, and moves on behind
// it. It returns the data of a chunk, a part of b; none of header and end.
func (c *checker) take(b []byte) ([]byte, error) {
	if c.off == 0 {
		return nil, c.takeHeader(b)
	}
	end := len(b) - crcSize
	number, n := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	switch {
	case crc32.Update(c.l.crc, castagnoli(), b[:end]) != binary.LittleEndian.Uint32(b[end:]):
		return nil, damaged(c.file, c.off, "checksum of chunk %d", c.number)
	case number != c.number:
		return nil, damaged(c.file, c.off, "chunk %d in the place of %d", number, c.number)
	case n == 0:
		return nil, c.takeEnd(b)
	case c.short:
		return nil, damaged(c.file, c.off, "chunk %d follows one that is not full", number)
	}
	c.short = int(n) < c.l.chunk
	c.length += uint64(n)
	c.pass(b)
	return b[frameHead:end], nil
}

func (c *checker) takeHeader(b []byte) error {
	l, err := parseHeader(c.file, b)
	if err != nil {
		return err
	}
	c.l = l
	c.pass(b)
	return nil
}

func (c *checker) takeEnd(b []byte) error {
	sum, length := binary.LittleEndian.Uint64(b[endSum:]), binary.LittleEndian.Uint64(b[frameHead:])
	if c.hash != nil {
		_, _ = c.hash.Write(b[:endSum]) // never fails
		if length != c.length || sum != c.hash.Sum64() {
			c.spent = true
			return damaged(c.file, c.off, "the end is of %d bytes and sum %016x, these are %d and %016x",
				length, sum, c.length, c.hash.Sum64())
		}
	}
	c.sum, c.done = sum, true
	c.off += int64(len(b))
	return nil
}

// pass moves on to the next piece.
func (c *checker) pass(b []byte) {
	if c.hash != nil {
		_, _ = c.hash.Write(b) // never fails
	}
	c.off += int64(len(b))
	c.number++
}

// id is the identity of what was checked to its end.
func (c *checker) id() ID { return ID{Handle: c.l.handle, Size: c.off, Sum: c.sum} }
