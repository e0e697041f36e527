package moments

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
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

	seen, words map[string]bool // kinds of all lines, and of their messages
	taken       bool            // a line was
}

// Unmatched says, once a run is over, which kinds that are wanted no line of it has, and whether no line at all
// was wanted: a line of text each, for people. It names the kinds that there are.
func (f *Filter) Unmatched() []string {
	var all []string
	for _, k := range f.Kinds {
		if !f.seen[k] && !f.words[k] {
			all = append(all, fmt.Sprintf("no line has kind %q", k))
		}
	}
	if all != nil {
		all = append(all, "kinds of this run: "+listed(f.seen)+"; of its messages: "+listed(f.words))
	}
	if !f.taken {
		all = append(all, "no line matches")
	}
	return all
}

func listed(kinds map[string]bool) string {
	if len(kinds) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
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
	kind, word := kindOf(fields)
	f.note(kind, word)
	at := Seconds(fields[1])
	if f.From > 0 && at < f.From || f.Until > 0 && at > f.Until {
		return false
	}
	about := f.About == "" || f.isAbout(line)
	wanted := about && (len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind) || word != "" && slices.Contains(f.Kinds, word)) && f.isSlot(line)
	f.taken = f.taken || wanted
	return wanted
}

// kindOf is the kind of a line, and the first word of its message if it has one.
func kindOf(fields []string) (kind, word string) {
	kind = fields[4]
	if len(fields) > 7 && (kind == "send" || kind == "receive") {
		word = fields[7]
	}
	return kind, word
}

func (f *Filter) note(kind, word string) {
	if f.seen == nil {
		f.seen, f.words = map[string]bool{}, map[string]bool{}
	}
	f.seen[kind] = true
	if word != "" {
		f.words[word] = true
	}
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
