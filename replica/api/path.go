package api

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of names. A path keeps all three.
const (
	// MaxComponent is the longest component of a path, in bytes.
	MaxComponent = 255
	// MaxDepth is the largest number of components of a path.
	MaxDepth = 32
	// MaxPath is the longest path as String prints it, in bytes.
	MaxPath = 1 << 10
)

// Faults of names that are too long.
var (
	tooLong          = fmt.Sprintf("longer than a path may be, which is %d bytes", MaxPath)
	tooDeep          = fmt.Sprintf("has more than %d components", MaxDepth)
	componentTooLong = fmt.Sprintf("has a component of more than %d bytes", MaxComponent)
)

// ErrName is the error of ParsePath, Path.Join, Path.Child and ParseName for a string that is not a
// name, wrapped with the reason.
var ErrName = errors.New("bad name")

// Path names a node within its cell: the root, or a sequence of components. The tree is strict (CHU
// §2.3): no component means the directory itself or its parent. Each node has exactly one path, and
// each path exactly one spelling. Other spellings are refused, never repaired: a trailing slash,
// two slashes together, "." and "..".
//
// A component is UTF-8 without control characters, so that a name can be printed, put on a line of
// its own and typed again. Bytes are compared, not letters: two spellings of an accented letter are
// two names.
//
// The zero Path is the root. Only this file makes Paths. They are comparable, and may be keys of
// maps.
type Path struct {
	s string // the components with slashes between them
}

// ParsePath parses the form that String returns: "/" or "/a/b".
func ParsePath(s string) (Path, error) {
	rest, ok := strings.CutPrefix(s, "/")
	switch {
	case !ok:
		return Path{}, badName("does not begin with a slash", s)
	case rest == "":
		return Path{}, nil
	}
	return Path{}.Join(rest)
}

// Join returns the path of rel relative to p. rel is one or more components, without a leading
// slash (CHU §2.6).
func (p Path) Join(rel string) (Path, error) {
	if len(p.String())+len(rel) > MaxPath {
		return Path{}, badName(tooLong, rel)
	}
	for name := range strings.SplitSeq(rel, "/") {
		if why := componentFault(name); why != "" {
			return Path{}, badName(why, rel)
		}
	}
	q := Path{rel}
	if !p.IsRoot() {
		q = Path{p.s + "/" + rel}
	}
	if len(q.s) >= MaxPath {
		return Path{}, badName(tooLong, rel)
	}
	if q.Depth() > MaxDepth {
		return Path{}, badName(tooDeep, rel)
	}
	return q, nil
}

// Child returns the path of the child name of the directory p.
func (p Path) Child(name string) (Path, error) {
	if why := componentFault(name); why != "" {
		return Path{}, badName(why, name)
	}
	return p.Join(name)
}

// CheckComponent returns OK, or Invalid if name cannot be a component of a path.
func CheckComponent(name string) Code {
	if componentFault(name) != "" {
		return Invalid
	}
	return OK
}

// componentFault returns why name is not a component, or "".
func componentFault(name string) string {
	switch {
	case name == "":
		return "has an empty component"
	case name == "." || name == "..":
		return "has the component " + name
	case len(name) > MaxComponent:
		return componentTooLong
	case strings.Contains(name, "/"):
		return "has a slash within a component"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has a control character"
	}
	return ""
}

func badName(why, name string) error {
	return fmt.Errorf("%w: %s: %.80q", ErrName, why, name)
}

// String returns the path in the form that ParsePath parses.
func (p Path) String() string { return "/" + p.s }

// IsRoot reports whether p is the root.
func (p Path) IsRoot() bool { return p.s == "" }

// Depth returns the number of components; it is 0 for the root.
func (p Path) Depth() int {
	if p.IsRoot() {
		return 0
	}
	return 1 + strings.Count(p.s, "/")
}

// Components iterates over the components, the outermost first.
func (p Path) Components() iter.Seq[string] {
	if p.IsRoot() {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(p.s, "/")
}

// Base returns the last component, the name of the node in its parent. It is empty for the root.
func (p Path) Base() string { return p.s[strings.LastIndexByte(p.s, '/')+1:] }

// Parent returns the directory that contains p; ok is false for the root, which is in none.
func (p Path) Parent() (parent Path, ok bool) {
	if p.IsRoot() {
		return Path{}, false
	}
	return Path{p.s[:max(0, strings.LastIndexByte(p.s, '/'))]}, true
}

// Compare orders paths as their rows are ordered: by the number of components
// first, so that the children of one directory are neighbours (CHU §2.10), then
// by bytes.
func (p Path) Compare(q Path) int {
	if d := p.Depth() - q.Depth(); d != 0 {
		return d
	}
	return strings.Compare(p.s, q.s)
}
