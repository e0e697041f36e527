package api

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Principal names a client, as the transport has authenticated it. The empty Principal is
// that of no client.
type Principal string

// MaxPrincipal is the longest principal, in bytes.
const MaxPrincipal = 255

// Everyone stands on a line of an ACL file for every principal. No principal has this name.
const Everyone Principal = "*"

// Check returns OK, or Invalid if p is no principal. A principal is UTF-8 without white
// space and control characters and does not begin with '#', so that it can stand on a line
// of an ACL file.
func (p Principal) Check() Code {
	s := string(p)
	odd := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	if s == "" || len(s) > MaxPrincipal || p == Everyone || s[0] == '#' || !utf8.ValidString(s) || strings.ContainsFunc(s, odd) {
		return Invalid
	}
	return OK
}

// ACLName names a file in the cell's ACL directory: one component.
type ACLName string

// ACLDirectory is where the ACL files of a cell stand. They are ordinary files
// (CHU §2.3); replica/state/acl says what is in them.
func ACLDirectory() Path { return Path{"acl"} }

// Path is the path of the ACL file; ok is false for what is no ACL name, the
// empty one included.
func (n ACLName) Path() (p Path, ok bool) {
	p, err := ACLDirectory().Child(string(n))
	return p, err == nil
}

// ACLNames are the three ACL names of a node. The principals in their files may read it,
// write it, and change these names.
type ACLNames struct{ Read, Write, Change ACLName }

// Check says OK, or Invalid unless all three are names.
func (a ACLNames) Check() Code {
	for _, n := range []ACLName{a.Read, a.Write, a.Change} {
		if CheckComponent(string(n)) != OK {
			return Invalid
		}
	}
	return OK
}

// Or takes from b what is empty in a: names that the creator of a node left empty are
// copied from the parent directory (CHU §2.3).
func (a ACLNames) Or(b ACLNames) ACLNames {
	or := func(x, y ACLName) ACLName {
		if x == "" {
			return y
		}
		return x
	}
	return ACLNames{Read: or(a.Read, b.Read), Write: or(a.Write, b.Write), Change: or(a.Change, b.Change)}
}
