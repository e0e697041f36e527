package replica

import (
	"regexp"
	"strings"
	"sync"
)

var numbers = regexp.MustCompile(`[0-9]+`)

// trouble remembers the failures of one kind of work that is repeated, so that they are logged once
// and then rarely. Its methods are safe for concurrent use.
type trouble struct {
	mu   sync.Mutex
	row  int    // failures since the last success
	last string // the last failure; empty: the last attempt succeeded, or there was none
	kind string // last, with every number replaced by 0: slots differ, and attempts in names of files
}

// note takes in the outcome of an attempt. isNews reports whether it should be logged: the first
// failure, a failure that differs from the last one in more than numbers, the 2nd, 4th, 8th and so on
// in a row, and the first success after failures. row counts the failures in a row: up to this one, or
// before this success.
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

// reason returns why the last attempt failed; empty if it did not.
func (t *trouble) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// oneLine returns the text of an error in one line. A line that only repeats the end of the line before
// it is left out: errors of the file system say some things twice, in the words of package vfs and in
// those of the system.
func oneLine(err error) string {
	var parts []string
	for part := range strings.SplitSeq(err.Error(), "\n") {
		if n := len(parts); n == 0 || !strings.HasSuffix(parts[n-1], part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}
