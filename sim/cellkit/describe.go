package cellkit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/describe"
)

// Describe is a Trace.Describe for worlds with cells: messages of cells become text, and messages that
// are text, such as those of one's own servers, stay as they are.
func Describe(from, to sim.Addr, msg []byte) string {
	isControl := func(r rune) bool { return !unicode.IsPrint(r) }
	if text := string(msg); utf8.ValidString(text) && !strings.ContainsFunc(text, isControl) {
		return text
	}
	return describe.Message(from, to, msg)
}
