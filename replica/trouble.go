package replica

import (
	"regexp"
	"strings"
	"sync"
)

var numbers = regexp.MustCompile(`[0-9]+`)

// trouble remembers how work of one kind failed that is attempted again and again. Its methods are
// safe for concurrent use.
type trouble struct {
	mu   sync.Mutex
	row  int    // failures since the last success
	last string // the last failure; empty: the last attempt succeeded, or there was none
	kind string // last without its numbers: those of slots, and of attempts in names of files
}

// note takes in the end of an attempt. It reports whether the log should have it: the first failure, one that
// differs from that before in more than numbers, the 2nd, 4th, 8th and so on in a row, and the success after failures. row is
// how many have failed in a row, up to this one, or before it.
func (t *trouble) note(err error) (isNews bool, row int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		row = t.row
		t.row, t.last, t.kind = 0, "", ""
		return row > 0, row
	}
	text := oneLine(err)
	t.row++
	kind := numbers.ReplaceAllString(text, "0")
	isNews = kind != t.kind || t.row&(t.row-1) == 0
	t.last, t.kind = text, kind
	return isNews, t.row
}

// reason is why the last attempt failed; empty: it did not.
func (t *trouble) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// oneLine is the text of an error in one line. Errors of the file system say some things twice,
// in the words of package vfs and in those of the system.
func oneLine(err error) string {
	var parts []string
	for part := range strings.SplitSeq(err.Error(), "\n") {
		if n := len(parts); n == 0 || !strings.HasSuffix(parts[n-1], part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}
