package api

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Principal names a client, as the transport has authenticated it. The empty Principal names no
// client.
type Principal string

// MaxPrincipal is the longest principal, in bytes.
const MaxPrincipal = 255

// Everyone, on a line of an ACL file, means every principal. No principal has this name.
const Everyone Principal = "*"

// Check returns OK, or Invalid if p is not a principal. A principal is UTF-8 without white space
// and control characters and does not begin with '#', so that it can be a line of an ACL file.
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

// ACLDirectory returns the directory of a cell's ACL files. They are ordinary files (CHU §2.3);
// replica/state/acl describes their contents.
func ACLDirectory() Path { return Path{"acl"} }

// Path returns the path of the ACL file; ok is false if n is not an ACL name, for instance if it is
// empty.
func (n ACLName) Path() (p Path, ok bool) {
	p, err := ACLDirectory().Child(string(n))
	return p, err == nil
}

// ACLNames are the three ACL names of a node. The principals in their files may read it,
// write it, and change these names.
type ACLNames struct{ Read, Write, Change ACLName }

// Check returns OK, or Invalid unless all three are names.
func (a ACLNames) Check() Code {
	for _, n := range []ACLName{a.Read, a.Write, a.Change} {
		if CheckComponent(string(n)) != OK {
			return Invalid
		}
	}
	return OK
}

// Or returns a, with names from b in place of empty ones: names that the creator of a node left
// empty are copied from the parent directory (CHU §2.3).
func (a ACLNames) Or(b ACLNames) ACLNames {
	or := func(x, y ACLName) ACLName {
		if x == "" {
			return y
		}
		return x
	}
	return ACLNames{Read: or(a.Read, b.Read), Write: or(a.Write, b.Write), Change: or(a.Change, b.Change)}
}
