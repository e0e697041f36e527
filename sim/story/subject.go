package story

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// subjects are the things that the report of a break names.
type subjects struct {
	machines map[sim.Addr]bool
	ofLeases bool             // it speaks of leases, or of what extends them
	things   []*regexp.Regexp // each knows one of them in other texts
	sorts    []sortOf
	slots    []*regexp.Regexp // commands in those that it names
	calls    []*regexp.Regexp // calls of sessions that it names
	records  uint64           // the things that are records of logs
}

// sortOf is a sort of thing of which a text mostly speaks of one: a text on another slot is
// about something else.
type sortOf struct {
	any  *regexp.Regexp
	bits uint64 // the things of the sort that the report names
}

// How reports name handles, ballots, where no handle is named, and records of logs.
const (
	ofLog  = `(?:^|\s)#(\d+)\b`
	handle = `[Hh]andle[: ](\d+\.\d+)\b`
	ballot = `(?:^|[^\w:.])(\d+\.\d{1,2})(?:$|[^\w.])`
)

var handleNamed = regexp.MustCompile(handle)

// namings are how reports name things, and how messages, records and opinions name the
// same ones; %s is the name.
var namings = []struct{ report, elsewhere string }{
	{`slot (\d+)`, `\bslot %[1]s\b|\b%[1]s@|\[%[1]s,`},
	{`[Ss]ession[: ](\d+)`, `\bsession %[1]s\b|Session:%[1]s\b`},
	{`call (\d+) of session \d+`, `\bseq %[1]s\b|call %[1]s\b`},
	{handle, `[Hh]andle[: ]%[1]s\b`},
	{ballot, `(?:^|[^\w:.])%[1]s(?:$|[^\w.])`}, // ballots
	{`epoch (\d+)`, `\bepoch %[1]s\b`},
	{`acquisition (\d+)`, `\bacquisition %[1]s\b`},
	{`\b(v[0-9a-f]{8})\b`, `\b%[1]s\b`}, // values
	{`(/[\w/.~-]+#\d+)`, `%[1]s\b`},     // instances of nodes
	{`(/[\w/.~-]+)`, `%[1]s\b`},         // also of an instance, which so counts twice, and finds what is below it
	{`"([^"]{2,60})"`, `%[1]s`},
	{`\b(g\d+/\w+)\b`, `\b%[1]s\b`}, // rows
	{ofLog, `record #%[1]s\b`},
}

// apart is how many of the namings, from the first on, are sorts of which a text mostly
// speaks of one.
const apart = 2

var (
	replicaNamed = regexp.MustCompile(`\b(?:replica|node|member|leader|master|n) ?(\d+)\b`)
	clientNamed  = regexp.MustCompile(`\bc(\d+)\b`)
	callNamed    = regexp.MustCompile(`\bcall (\d+) of session (\d+)|\bSession:(\d+) Seq:(\d+)`)
	leaseNamed   = regexp.MustCompile(`(?i)\blease|keep-?alive|jeopardy|grace`)
	processNamed = regexp.MustCompile(`\bclient (\d+)\b`) // of histories
)

// programs has the programs in a report of a history named as the other lines of a story name them.
func programs(report string) string {
	return processNamed.ReplaceAllStringFunc(report, func(named string) string {
		n, err := strconv.ParseInt(strings.TrimPrefix(named, "client "), 10, 64)
		if err != nil || n>>20 == 0 {
			return named
		}
		return event.ProgramID(n).String()
	})
}

// subjectsOf are those of a report.
func subjectsOf(report string) *subjects {
	s := &subjects{machines: map[sim.Addr]bool{}, ofLeases: leaseNamed.MatchString(report)}
	known := map[string]bool{}
	for i, n := range namings {
		var bits uint64
		text := report
		if n.report == ballot {
			text = handleNamed.ReplaceAllString(report, "handle")
		}
		for _, found := range regexp.MustCompile(n.report).FindAllStringSubmatch(text, -1) {
			text := fmt.Sprintf(n.elsewhere, regexp.QuoteMeta(found[1]))
			if !known[text] {
				known[text] = true
				bits |= 1 << len(s.things)
				s.things = append(s.things, regexp.MustCompile(text))
			}
		}
		if n.report == ofLog {
			s.records = bits
		}
		if bits != 0 && i < apart {
			s.sorts = append(s.sorts, sortOf{regexp.MustCompile(fmt.Sprintf(n.elsewhere, `\d+`)), bits})
		}
	}
	for _, slot := range named(`slot (\d+)`, report) {
		s.slots = append(s.slots, regexp.MustCompile(`^[^{]*\bin slot `+slot+`\b`))
	}
	for _, found := range callNamed.FindAllStringSubmatch(report, -1) {
		seq, session := found[1]+found[4], found[2]+found[3]
		s.calls = append(s.calls, regexp.MustCompile(`\bsession `+session+` seq `+seq+`\b|\bcall `+seq+` of session `+session+`\b`))
	}
	numbers := func(form *regexp.Regexp, add func(n uint64)) {
		for _, found := range form.FindAllStringSubmatch(report, -1) {
			if n, err := strconv.ParseUint(found[1], 10, 63); err == nil {
				add(n)
			}
		}
	}
	numbers(replicaNamed, func(n uint64) { s.machines[sim.Addr(n)] = n < uint64(sim.FirstClient) })
	numbers(clientNamed, func(n uint64) { s.machines[sim.FirstClient+sim.Addr(n)-1] = true })
	numbers(processNamed, func(n uint64) { s.machines[sim.FirstClient+sim.Addr(n>>32)] = true })
	return s
}

// means says that a command, in words, stands in a slot that the report names.
func (s *subjects) means(text string) bool { return matches(s.slots, text) }

func matches(forms []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(forms, func(re *regexp.Regexp) bool { return re.MatchString(text) })
}

// in says which of the things a text names: a bit for each; none, if it speaks of another
// thing of a sort of which the report names some.
func (s *subjects) in(text string) (bits uint64) {
	for i, re := range s.things[:min(len(s.things), 64)] {
		if re.MatchString(text) {
			bits |= 1 << i
		}
	}
	for _, o := range s.sorts {
		if bits&o.bits == 0 && bits != 0 && o.any.MatchString(text) {
			return 0
		}
	}
	return bits
}
