package api

import "strings"

// Cell names a cell: a label of the domain name system, in lower case, because that system is where
// a cell's replicas are looked up (CHU §2.3).
type Cell string

// LocalCell stands for the cell nearest to the client (CHU §2.3). The client resolves it; no cell
// has this name.
const LocalCell Cell = "local"

const (
	maxCell    = 63
	namePrefix = "/ls/"
)

// Check returns OK, or Invalid if c cannot be the name of a cell.
func (c Cell) Check() Code {
	if c == "" || len(c) > maxCell || c[0] == '-' || c[len(c)-1] == '-' {
		return Invalid
	}
	for _, b := range []byte(c) {
		if (b < 'a' || b > 'z') && (b < '0' || b > '9') && b != '-' {
			return Invalid
		}
	}
	return OK
}

// Name is the full name of a node: /ls, a cell, and a path within the cell.
type Name struct {
	Cell Cell
	Path Path
}

// ParseName parses the form that String returns: "/ls/CELL" for the root of a cell, "/ls/CELL/a/b"
// for a node below it. As with paths, each node has one spelling: "/ls/CELL/" is not a name.
func ParseName(s string) (Name, error) {
	rest, ok := strings.CutPrefix(s, namePrefix)
	if !ok {
		return Name{}, badName("does not begin with "+namePrefix, s)
	}
	cell, inside, below := strings.Cut(rest, "/")
	n := Name{Cell: Cell(cell)}
	if n.Cell.Check() != OK {
		return Name{}, badName("names no cell", s)
	}
	if !below {
		return n, nil
	}
	p, err := Path{}.Join(inside)
	if err != nil {
		return Name{}, err
	}
	n.Path = p
	return n, nil
}

// IsLocal reports whether the name is in the nearest cell, which the client has yet to find.
func (n Name) IsLocal() bool { return n.Cell == LocalCell }

// String returns the name in the form that ParseName parses.
func (n Name) String() string {
	if n.Path.IsRoot() {
		return namePrefix + string(n.Cell)
	}
	return namePrefix + string(n.Cell) + n.Path.String()
}
