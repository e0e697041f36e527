package acl

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// Lists says whether an ACL file with these contents lists who.
//
// A file is text: one principal a line, exactly, without white space around it;
// the last line may lack its newline. A line with api.Everyone lists every
// principal there is. Empty lines and lines that begin with '#' list nobody, and
// so does a line that is no principal: a slip in one line takes nothing from
// those on the others and gives nothing to anybody. There is no line that takes a
// right away, so the order of lines means nothing.
//
// Nobody, the empty principal, is never listed, not as one of everyone either;
// nor is what is no principal, whatever the file says.
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
