package moments

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Filter selects lines of a trace. A line must meet all fields that are set. The zero Filter selects every line. A
// Filter is for one run: it remembers what it saw.
type Filter struct {
	Kinds       []string      // the kind of a line, or the first word of a message
	Slot        uint64        // 0: any
	From, Until time.Duration // true time; 0: no bound
	// About is a text that a line must contain, or be connected with. If a call contains it, later lines about that
	// call are selected, too: the value that carries its command, the accepts and votes for that value, the execution,
	// the answer, the return to the program, and the lines that mention the handle that it opened.
	About string

	follows map[string]bool // names of calls and handles that are connected with About so far
	slot    *regexp.Regexp
	digits  string // those of Slot

	seen, words map[string]bool // kinds of all lines so far, and of their messages
	taken       bool            // some line was selected
}

// ParseMachine reads the name of a machine as a user gives it: "n2" or "2", or "c1" for a client.
func ParseMachine(s string) (sim.Addr, error) {
	digits, base := s, sim.Addr(0)
	if rest, is := strings.CutPrefix(s, "n"); is {
		digits = rest
	} else if rest, is := strings.CutPrefix(s, "c"); is {
		digits, base = rest, sim.FirstClient-1
	}
	n, err := strconv.ParseUint(digits, 10, 15)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%q: such as n2 for a replica or c1 for a client", s)
	}
	return base + sim.Addr(n), nil
}

// Unmatched returns lines of text for people, after the run: which of Kinds no line of the run has, with the kinds that
// exist, and whether the Filter selected no line at all. It is empty if neither is the case.
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
	valueNamed  = regexp.MustCompile(` ` + carried + ` +(v[0-9a-f]{8}) of slot `)
	acceptNamed = regexp.MustCompile(` accept (\S+ boot \d+ slot \d+) v[0-9a-f]{8}$`)
	named       = regexp.MustCompile(`#\d+|as call \d+ of session \d+|session \d+ seq \d+ returned|accepted \S+ boot \d+ slot \d+|\b[hv][0-9a-f]{6,8}\b`)
)

// takes reports whether a line is selected. It must be called once for each line, in their order.
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

// kindOf returns the kind of a line, and the first word of its message if it has one.
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
		f.digits = strconv.FormatUint(f.Slot, 10)
		f.slot = regexp.MustCompile(fmt.Sprintf(`\bslot %[1]d\b|\b%[1]d@|\[%[1]d,`, f.Slot))
	}
	return strings.Contains(line, f.digits) && f.slot.MatchString(line) // the first is much faster, and false for most lines
}

// isConnected reports whether a line has a name that is connected with About so far.
func (f *Filter) isConnected(line string) bool {
	return len(f.follows) > 0 && slices.ContainsFunc(named.FindAllString(line, -1), func(name string) bool { return f.follows[name] })
}

// isAbout reports whether a line is connected with About. It follows the names of calls and handles from line to line.
func (f *Filter) isAbout(line string) bool {
	if !strings.Contains(line, f.About) && !f.isConnected(line) {
		return false
	}
	if f.follows == nil {
		f.follows = map[string]bool{}
	}
	if c := callNamed.FindStringSubmatch(line); c != nil {
		f.follows[c[1]] = true
		if c[3] != "0" {
			f.follows[fmt.Sprintf("as call %s of session %s", c[3], c[2])] = true
			f.follows[fmt.Sprintf("session %s seq %s returned", c[2], c[3])] = true
		}
	}
	if v := valueNamed.FindStringSubmatch(line); v != nil {
		f.follows[v[1]] = true
	}
	if v := acceptNamed.FindStringSubmatch(strings.TrimSpace(line)); v != nil {
		f.follows["accepted "+v[1]] = true
	}
	if h := handleNamed.FindStringSubmatch(line); h != nil {
		f.follows[h[1]] = true
	}
	return true
}
