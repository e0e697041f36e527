package linearizability

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// number is what is known of a generation, an instance or an acquisition: of a
// number that a system gives out, greater each time, and that a history reports.
// Which one it is may not be known yet, when the operation that made it lost its
// reply; then the first that is told of it settles it. So the models assume no
// arithmetic of the system's, and the zero number is any at all.
type number struct {
	least uint64 // it is no less; exact: it is this
	exact bool
	not   string // if not exact: what it is known not to be, 8 bytes each, ascending
}

// none is the number of what has none: nothing can be told of it.
var none = number{exact: true}

// after is the number that is given out after n, before anybody has seen it.
func (n number) after() number { return number{least: n.least + 1} }

// see is n after somebody was told that it is told; 0 stands for nothing told.
// It reports whether that can be.
func (n number) see(told uint64) (number, bool) {
	switch {
	case told == 0 || n.exact && n.least == told:
		return n, true
	case !n.maybe(told):
		return n, false
	}
	return number{least: told, exact: true}, true
}

// is reports whether n is known to be v.
func (n number) is(v uint64) bool { return n.exact && n.least == v }

// maybe reports that n is not known and may turn out to be v.
func (n number) maybe(v uint64) bool {
	return !n.exact && v >= n.least && !slices.Contains(n.others(), v)
}

// other is n after it was found not to be v.
func (n number) other(v uint64) number {
	if !n.maybe(v) {
		return n
	}
	not := append(n.others(), v)
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

func (n number) others() (all []uint64) {
	for b := []byte(n.not); len(b) > 0; b = b[8:] {
		all = append(all, binary.BigEndian.Uint64(b))
	}
	return all
}

// told is the number for an answer: 0 where it is not known.
func (n number) told() uint64 {
	if !n.exact {
		return 0
	}
	return n.least
}

// String shows what is known.
func (n number) String() string {
	if n.exact {
		return fmt.Sprint(n.least)
	}
	return fmt.Sprintf(">=%d", n.least)
}

// appendTo appends bytes that are equal for equal numbers.
func (n number) appendTo(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, n.least)
	if n.exact {
		return append(b, 1)
	}
	return append(append(b, 0, byte(len(n.not)/8)), n.not...)
}
