// Package versions is pure: which versions of a format a program knows, and which one two programs use with each other.
package versions

import (
	"fmt"
	"strconv"
	"strings"
)

// Range has all versions of a format from Oldest to Newest, both included. The zero Range has none: versions begin at 1.
type Range struct{ Oldest, Newest byte }

// IsEmpty reports that the Range has no version.
func (r Range) IsEmpty() bool { return r.Newest == 0 || r.Oldest > r.Newest }

// Has reports whether a version is in the Range.
func (r Range) Has(v byte) bool { return v >= r.Oldest && v <= r.Newest && !r.IsEmpty() }

// Common returns the highest version that both have; ok is false if there is none.
func (r Range) Common(o Range) (v byte, ok bool) {
	v = min(r.Newest, o.Newest)
	return v, !r.IsEmpty() && !o.IsEmpty() && v >= max(r.Oldest, o.Oldest)
}

// IsOlder reports that the newest version of r is below that of o: the program that has r is the older one.
func (r Range) IsOlder(o Range) bool { return r.Newest < o.Newest }

// String is "5" or "5 to 6", for texts.
func (r Range) String() string {
	switch {
	case r.IsEmpty():
		return "none"
	case r.Oldest == r.Newest:
		return strconv.Itoa(int(r.Oldest))
	}
	return fmt.Sprintf("%d to %d", r.Oldest, r.Newest)
}

// Text is the form that Parse reads: "5-6".
func (r Range) Text() string { return fmt.Sprintf("%d-%d", r.Oldest, r.Newest) }

// Parse is the inverse of Text. It returns an error for any other text, and for a Range that is empty.
func Parse(text string) (Range, error) {
	oldest, newest, _ := strings.Cut(text, "-")
	from, err1 := strconv.ParseUint(oldest, 10, 8)
	to, err2 := strconv.ParseUint(newest, 10, 8)
	r := Range{byte(from), byte(to)}
	if err1 != nil || err2 != nil || r.IsEmpty() || r.Text() != text {
		return Range{}, fmt.Errorf("%q is no range of versions: it should be like 5-6", text)
	}
	return r, nil
}
