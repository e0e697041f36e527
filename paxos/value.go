package paxos

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Value is the decision of one slot: a batch of commands, or nothing. It is immutable and compared
// with ==. Its bytes are the commands one after the other, each preceded by its length as an
// unsigned varint, so the concatenation of two Values is the Value with the commands of both. The
// empty Value is the no-op that fills a hole (PMS §3).
type Value string

// Noop is the Value without commands.
const Noop Value = ""

// Batch returns the Value with these commands, in this order.
func Batch(commands ...[]byte) Value {
	var b []byte
	for _, c := range commands {
		b = binary.AppendUvarint(b, uint64(len(c)))
		b = append(b, c...)
	}
	return Value(b)
}

// Commands calls yield with each command in turn, until yield returns false; it is an iterator. The
// strings share the memory of v. It stops at malformed bytes, which Valid detects.
func (v Value) Commands(yield func(i int, command string) bool) {
	rest := v
	for i := 0; len(rest) > 0; i++ {
		n, w := uvarint(string(rest))
		if w <= 0 || uint64(len(rest)-w) < n {
			return
		}
		if !yield(i, string(rest[w:w+int(n)])) {
			return
		}
		rest = rest[w+int(n):]
	}
}

// Valid reports whether the bytes are well formed. Values from a network or a disk are
// checked before they are used.
func (v Value) Valid() bool {
	for len(v) > 0 {
		n, w := uvarint(string(v))
		if w <= 0 || uint64(len(v)-w) < n {
			return false
		}
		v = v[w+int(n):]
	}
	return true
}

// Len returns the number of commands.
func (v Value) Len() int {
	n := 0
	for range v.Commands {
		n++
	}
	return n
}

// String returns a digest: a trace distinguishes values without their bytes.
func (v Value) String() string {
	if v == Noop {
		return "noop"
	}
	return fmt.Sprintf("v%08x", crc32.ChecksumIEEE([]byte(v)))
}

// uvarint is binary.Uvarint on a string, without a copy.
func uvarint(s string) (uint64, int) {
	var x uint64
	for i := 0; i < len(s) && i < binary.MaxVarintLen64; i++ {
		c := s[i]
		if c < 0x80 {
			if i == binary.MaxVarintLen64-1 && c > 1 {
				return 0, -1
			}
			return x | uint64(c)<<(7*i), i + 1
		}
		x |= uint64(c&0x7f) << (7 * i)
	}
	return 0, 0
}
