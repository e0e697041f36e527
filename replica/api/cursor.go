package api

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/internal/versions"
)

// ErrMalformed is the error of every decoder, wrapped with the place and the reason, for bytes that
// are not a message: from another program, damaged, or hostile. The receiver counts and drops them.
var ErrMalformed = errors.New("malformed message")

// ErrVersion is the error of a decoder for a message of an unknown version; it wraps ErrMalformed.
var ErrVersion = fmt.Errorf("%w: unknown version", ErrMalformed)

// sequencerVersion is that of the format of sequencers, which clients keep for a long time.
const sequencerVersion = 1

// cursor reads s from front to back. After the first error it reads only zeroes, so that decoders
// need to check only once, at the end. It never reads beyond s, and it allocates nothing before it
// knows that the bytes are there. The strings that it reads are parts of s.
type cursor struct {
	s   string
	at  int
	err error
}

// read begins to read a message. It copies b, once for all strings in it.
func read(b []byte) cursor {
	var c cursor
	if len(b) > MaxMessage {
		c.fail("%d bytes are too many", len(b))
	} else {
		c.s = string(b)
	}
	return c
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: byte %d: %s", ErrMalformed, c.at, fmt.Sprintf(format, args...))
	}
}

func (c *cursor) left() int { return len(c.s) - c.at }

func (c *cursor) byte() byte {
	if c.err != nil {
		return 0
	}
	if c.left() < 1 {
		c.fail("ends early")
		return 0
	}
	c.at++
	return c.s[c.at-1]
}

func (c *cursor) flag() bool {
	x := c.byte()
	if x > 1 {
		c.fail("flag is %d", x)
	}
	return x == 1 && c.err == nil
}

// uint reads a varint in its shortest form.
func (c *cursor) uint() uint64 {
	if c.err != nil {
		return 0
	}
	x, n := binary.Uvarint([]byte(c.s[c.at:])) // makes no copy
	if n <= 0 {
		c.fail("no number")
		return 0
	}
	if n > 1 && c.s[c.at+n-1] == 0 {
		c.fail("number in a longer form than needed")
		return 0
	}
	c.at += n
	return x
}

// count reads the number of items that follow, each of at least size bytes.
func (c *cursor) count(size int) int {
	n := c.uint()
	if c.err == nil && n > uint64(c.left()/size) {
		c.fail("%d items in %d bytes", n, c.left())
	}
	if c.err != nil {
		return 0
	}
	return int(n)
}

func (c *cursor) string() string {
	n := c.count(1)
	s := c.s[c.at : c.at+n]
	c.at += n
	return s
}

// open reads the version and the kind of what has known versions.
func (c *cursor) open(known versions.Range, kind byte) {
	if v := c.byte(); c.err == nil && !known.Has(v) {
		c.err = unknownVersion(v, known)
	}
	if k := c.byte(); c.err == nil && k != kind {
		c.fail("kind %q, want %q", k, kind)
	}
}

// close checks that everything was read, and returns the first error.
func (c *cursor) close() error {
	if c.err == nil && c.left() > 0 {
		c.fail("%d bytes too many", c.left())
	}
	return c.err
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendFlag(dst []byte, f bool) []byte {
	if f {
		return append(dst, 1)
	}
	return append(dst, 0)
}
