package snapshot

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cespare/xxhash/v2"
)

// checker verifies the pieces of one snapshot in order: header, chunks, end. It reads no file:
// reader passes it the pieces of a file, and Installer passes it the pieces that another replica
// sends.
type checker struct {
	file      string // for error messages
	l         layout
	off       int64          // of the next piece; 0: the header
	number    uint64         // of the next chunk or end
	length    uint64         // of all data so far
	lastShort bool           // the last chunk was not full: the end must follow
	hash      *xxhash.Digest // of all bytes so far; nil: the checker began in the middle
	sum       uint64         // as the end states it
	done      bool           // the end was good
	badTotal  bool           // the end does not match the pieces before it
}

func newChecker(file string) checker { return checker{file: file, hash: xxhash.New()} }

// peekSize returns how many bytes of the next piece pieceSize needs.
func (c *checker) peekSize() int {
	if c.off == 0 {
		return headerPeek
	}
	return frameHead
}

// maxPiece returns the maximum size of the next piece.
func (c *checker) maxPiece() int64 {
	if c.off == 0 {
		return maxHeader
	}
	return max(c.l.stride(), endSize)
}

// pieceSize returns the size of the next piece, given its first peekSize bytes.
func (c *checker) pieceSize(b []byte) (int64, error) {
	if c.off == 0 {
		return peekHeader(c.file, b)
	}
	n := int64(binary.LittleEndian.Uint32(b[8:]))
	switch {
	case n == 0:
		return endSize, nil
	case n > int64(c.l.chunk):
		return 0, damageError(c.file, c.off, "a chunk of %d bytes, the maximum is %d", n, c.l.chunk)
	}
	return frameHead + n + crcSize, nil
}

// accept verifies the next piece, b, which has the length that pieceSize returned, and advances
// past it. It returns the data of a chunk, which is a part of b, and nil for header and end.
func (c *checker) accept(b []byte) ([]byte, error) {
	if c.off == 0 {
		return nil, c.acceptHeader(b)
	}
	end := len(b) - crcSize
	number, n := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	switch {
	case crc32.Update(c.l.crc, castagnoli(), b[:end]) != binary.LittleEndian.Uint32(b[end:]):
		return nil, damageError(c.file, c.off, "wrong checksum of chunk %d", c.number)
	case number != c.number:
		return nil, damageError(c.file, c.off, "chunk %d in place of chunk %d", number, c.number)
	case n == 0:
		return nil, c.acceptEnd(b)
	case c.lastShort:
		return nil, damageError(c.file, c.off, "chunk %d follows a chunk that is not full", number)
	}
	c.lastShort = int(n) < c.l.chunk
	c.length += uint64(n)
	c.advance(b)
	return b[frameHead:end], nil
}

func (c *checker) acceptHeader(b []byte) error {
	l, err := parseHeader(c.file, b)
	if err != nil {
		return err
	}
	c.l = l
	c.advance(b)
	return nil
}

func (c *checker) acceptEnd(b []byte) error {
	sum, length := binary.LittleEndian.Uint64(b[endSum:]), binary.LittleEndian.Uint64(b[frameHead:])
	if c.hash != nil {
		_, _ = c.hash.Write(b[:endSum]) // never fails
		if length != c.length || sum != c.hash.Sum64() {
			c.badTotal = true
			return damageError(c.file, c.off, "the end states %d bytes and sum %016x, read were %d and %016x",
				length, sum, c.length, c.hash.Sum64())
		}
	}
	c.sum, c.done = sum, true
	c.off += int64(len(b))
	return nil
}

// advance moves to the next piece.
func (c *checker) advance(b []byte) {
	if c.hash != nil {
		_, _ = c.hash.Write(b) // never fails
	}
	c.off += int64(len(b))
	c.number++
}

// id returns the identity of a snapshot that was verified to its end.
func (c *checker) id() ID { return ID{Handle: c.l.handle, Size: c.off, Sum: c.sum} }
