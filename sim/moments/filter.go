package moments

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Filter is which lines of a trace are wanted: those that are all that it says. The zero Filter
// wants every line.
type Filter struct {
	Kinds       []string      // the kind of a line, or the first word of a message
	Slot        uint64        // 0: any
	From, Until time.Duration // true time; 0: no bound
	// About is a text that is in each line. From a call that has it on, its answer and the command
	// of that call are wanted, too, and what is done by a handle that was opened so.
	About string

	follows map[string]bool // names that stand for About by now
	slot    *regexp.Regexp
}

// How a trace names a call, its command in the log, and a handle.
var (
	callNamed   = regexp.MustCompile(`call (#\d+) session (\d+) seq (\d+)`)
	handleNamed = regexp.MustCompile(`answer .* (h[0-9a-f]{6}) is `)
	named       = regexp.MustCompile(`#\d+|as call \d+ of session \d+|h[0-9a-f]{6}\b`)
)

// takes says whether a line is wanted. Lines come in their order, each once.
func (f *Filter) takes(line string) bool {
	fields := strings.Fields(line)
	if len(fields) < 5 {
		return true // no line of a trace
	}
	at := Seconds(fields[1])
	if f.From > 0 && at < f.From || f.Until > 0 && at > f.Until {
		return false
	}
	about := f.About == "" || f.isAbout(line)
	return about && f.isKind(fields) && f.isSlot(line)
}

func (f *Filter) isKind(fields []string) bool {
	if len(f.Kinds) == 0 {
		return true
	}
	for _, k := range f.Kinds {
		isMessage := len(fields) > 7 && (fields[4] == "send" || fields[4] == "receive")
		if k == fields[4] || isMessage && k == fields[7] {
			return true
		}
	}
	return false
}

func (f *Filter) isSlot(line string) bool {
	if f.Slot == 0 {
		return true
	}
	if f.slot == nil {
		f.slot = regexp.MustCompile(fmt.Sprintf(`\bslot %[1]d\b|\b%[1]d@|\[%[1]d,`, f.Slot))
	}
	return f.slot.MatchString(line)
}

// isAbout follows names from line to line.
func (f *Filter) isAbout(line string) bool {
	is := strings.Contains(line, f.About)
	for _, name := range named.FindAllString(line, -1) {
		is = is || f.follows[name]
	}
	if !is {
		return false
	}
	if f.follows == nil {
		f.follows = map[string]bool{}
	}
	if c := callNamed.FindStringSubmatch(line); c != nil {
		f.follows[c[1]] = true
		if c[3] != "0" {
			f.follows[fmt.Sprintf("as call %s of session %s", c[3], c[2])] = true
		}
	}
	if h := handleNamed.FindStringSubmatch(line); h != nil {
		f.follows[h[1]] = true
	}
	return true
}
