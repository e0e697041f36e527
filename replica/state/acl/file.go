package acl

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// HasPrincipal reports whether an ACL file with these contents lists who.
//
// A file is text: one principal a line, exactly, without white space around it; the last
// line may lack its newline. A line with api.Everyone lists every principal. Empty lines,
// lines that begin with '#' and lines that are no principal list none: a mistake in one
// line changes nothing for the principals on other lines. No line takes a right away, so
// the order of lines means nothing.
//
// The empty principal is never listed, not by api.Everyone either; nor is an invalid one.
func HasPrincipal(contents string, who api.Principal) bool {
	if who.Check() != api.OK {
		return false
	}
	for line := range strings.SplitSeq(contents, "\n") {
		if p := api.Principal(line); p == who || p == api.Everyone {
			return true
		}
	}
	return false
}
