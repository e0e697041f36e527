package model

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// number is what is known about a generation, an instance or an acquisition: a number that the system assigns, each
// greater than the last, and that the history reports. If the operation that created it lost its reply, the number is
// unknown until an output contains it. The models assume nothing else about the numbers of a system. The zero number is
// one of which nothing is known.
type number struct {
	least uint64 // the lowest possible value; if exact, the value
	exact bool
	not   string // if not exact: impossible values above least, 8 bytes each, ascending
}

// noNumber stands for a number that does not exist, such as a directory's content generation. No output may contain one.
var noNumber = number{exact: true}

// after returns the number that the system assigns next after n, before any output contains it.
func (n number) after() number { return number{least: n.least + 1} }

// observe returns n after an output contained the value reported, 0 if the output has none. It
// returns false if n cannot have that value.
func (n number) observe(reported uint64) (number, bool) {
	switch {
	case reported == 0 || n.exact && n.least == reported:
		return n, true
	case !n.canBe(reported):
		return n, false
	}
	return number{least: reported, exact: true}, true
}

// is reports whether n is known to be v.
func (n number) is(v uint64) bool { return n.exact && n.least == v }

// canBe reports whether n is unknown and may turn out to be v.
func (n number) canBe(v uint64) bool {
	return !n.exact && v >= n.least && !slices.Contains(n.excluded(), v)
}

// exclude returns n with the knowledge that it is not v.
func (n number) exclude(v uint64) number {
	if !n.canBe(v) {
		return n
	}
	not := append(n.excluded(), v)
	slices.Sort(not)
	for len(not) > 0 && not[0] == n.least {
		n.least, not = n.least+1, not[1:]
	}
	var b []byte
	for _, v := range not {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	n.not = string(b)
	return n
}

func (n number) excluded() (all []uint64) {
	for b := []byte(n.not); len(b) > 0; b = b[8:] {
		all = append(all, binary.BigEndian.Uint64(b))
	}
	return all
}

// reported returns the number for an answer of the model: 0 if it is unknown.
func (n number) reported() uint64 {
	if !n.exact {
		return 0
	}
	return n.least
}

// String returns what is known.
func (n number) String() string {
	if n.exact {
		return fmt.Sprint(n.least)
	}
	return fmt.Sprintf(">=%d", n.least)
}

// appendTo appends bytes that are equal exactly for equal numbers.
func (n number) appendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, n.least)
	if n.exact {
		return append(b, 1)
	}
	return append(append(b, 0, byte(len(n.not)/8)), n.not...)
}
