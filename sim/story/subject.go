package story

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/moments"
)

// subjects are the things that the report of a break names. Sets of things are bits: bit i stands for things[i].
type subjects struct {
	machines  map[sim.Addr]bool
	ofLeases  bool             // the report mentions leases, or what extends them
	ofEvents  bool             // the report mentions events, what a client hears, caches, or what is dropped from them
	session   string           // the first session that the report names; "": none
	sessions  []string         // all of them, those of holders of locks, too
	things    []*regexp.Regexp // each matches the texts that mention one thing
	paths     map[string]bool  // of the nodes that the report names
	exclusive []exclusiveKind
	slots     []*regexp.Regexp // each matches a command in one slot that the report names, or one that begins an epoch that it names
	calls     []*regexp.Regexp // each matches the texts that mention one call that the report names
	window    window           // of the wrong call of a history
	records   uint64           // the things that are records of logs
	nonces    uint64           // the things that are nonces: two sessions with one nonce are about one thing
	words     map[string]bool  // stems of the words of the report that say what it is about
	times     []time.Duration  // at which, by the report, something happened that led to the break; ascending
}

// exclusiveKind is a kind of thing, such as slots. A text mostly mentions one thing of the kind, so a text on another
// slot is about something else.
type exclusiveKind struct {
	any  *regexp.Regexp // matches a mention of any thing of the kind
	bits uint64         // the things of the kind that the report names
}

// How reports name handles, sessions, ballots and records of logs. A handle's name looks like a ballot.
const (
	ofLog     = `(?:^|\s)#(\d+)\b`
	handle    = `[Hh]andle[: ](\d+\.\d+)\b`
	ofSession = `[Ss]ession[: ](\d+)`
	ofNonce   = `\bnonce ([0-9a-f]{16,})\b`
	ballot    = `(?:^|[^\w:.])(\d+\.\d{1,2})(?:$|[^\w.])`
)

var handleNamed = regexp.MustCompile(handle + `|\b\d+/\d+\.\d+\b`)

// namings are, for each kind of thing, how reports name it, and how messages, records and beliefs name the
// same thing; %[1]s is the name.
var namings = []struct{ report, elsewhere string }{
	{`slot (\d+)`, `\bslot %[1]s\b|\b%[1]s@|\[%[1]s,`},
	{ofSession, `\bsession %[1]s\b|Session:%[1]s\b`},
	{`call (\d+) of session \d+`, `\bseq %[1]s\b|call %[1]s\b`},
	{handle, `[Hh]andle[: ]%[1]s\b`},
	{ballot, `(?:^|[^\w:.])%[1]s(?:$|[^\w.])`},   // ballots
	{`epoch (\d+)`, `(?:^|[^(])\bepoch %[1]s\b`}, // each call has one, in parentheses
	{`acquisition (\d+)`, `\bacquisition %[1]s\b`},
	{`\b(v[0-9a-f]{8})\b`, `\b%[1]s\b`},     // values
	{`(/[\w/.~-]+#\d+)`, `%[1]s(?:$|\D)`},   // instances of nodes
	{`(/[\w/.~-]+)`, `%[1]s(?:$|[^\w.~-])`}, // paths. An instance counts twice, because its path matches, too; so do nodes below it
	{`"([^"]{2,60})"`, `%[1]s`},
	{`\b(g\d+/\w+)\b`, `\b%[1]s\b`}, // rows
	{ofNonce, `\b%[1]s\b`},
	{`\b([0-9a-f]{32})\b`, `\b%[1]s\b`},                         // checksums of rows
	{`\b(\d+)/\d+\.\d+\b`, `\bsession %[1]s\b|Session:%[1]s\b`}, // sessions of holders of locks
	{`\b\d+/(\d+\.\d+)\b`, `[Hh]andle[: ]%[1]s\b`},              // their handles
	{`\b(h[0-9a-f]{6})\b`, `\b%[1]s\b`},                         // tokens of handles
	{ofLog, `record #%[1]s\b`},
	{`/(0[0-9a-f]{15,})\.`, `/%[1]s\.`}, // files, whatever their suffix: one is written under another name first
}

// exclusives is how many of the namings, from the first on, are of exclusive kinds.
const exclusives = 2

var (
	replicaNamed = regexp.MustCompile(`\b(?:replica|node|member|leader|master|n) ?(\d+)\b`)
	clientNamed  = regexp.MustCompile(`\bc(\d+)\b`)
	callNamed    = regexp.MustCompile(`\bcall (\d+) of session (\d+)|\bSession:(\d+) Seq:(\d+)`)
	leaseNamed   = regexp.MustCompile(`(?i)\blease|keep-?alive|jeopardy|grace|\bcounts on it\b`)
	// A client of a history is a program. It is negative for the second call that the program has under way.
	processNamed = regexp.MustCompile(`\bclient -?(\d+)\b`)
	// callerNamed is how a report names the client of a call that has a name with that of its machine
	// (linearizability.Recorder.Name).
	callerNamed = regexp.MustCompile(`#\d+ [^:\n]*?\bc(\d+)\b[^:\n]*: `)
	// timeNamed is how a report says when, in true time, something happened that led to the break: in a line of its own,
	// or after the name of a command.
	timeNamed = regexp.MustCompile(`(?m)(?:^\s*|, executed at )(\d+\.\d{6})s\b`)
	// windowNamed is how a report on a history says when the first call that it names was under way, in true time.
	windowNamed = regexp.MustCompile(`\[called \d+ at ([\d.]+)s, returned \d+ at ([\d.]+)s\]`)
)

// window is the time during which a call of a client was under way.
type window struct {
	client   sim.Addr
	from, to time.Duration
}

// has reports whether a moment is a message to or from the client in that time.
func (w window) has(m *moments.Moment) bool {
	return w.client != 0 && m.Kind == "receive" && (m.Who == w.client || m.Peer == w.client) && w.from <= m.At && m.At <= w.to
}

// windowOf returns the window of the first call that a report names; zero: the report does not say.
func windowOf(report string) (w window) {
	at := windowNamed.FindStringSubmatchIndex(report)
	if at == nil {
		return window{}
	}
	var who sim.Addr
	if by := processNamed.FindStringSubmatch(report[:at[0]]); by != nil {
		if n, err := strconv.ParseInt(by[1], 10, 64); err == nil && n>>20 != 0 {
			who = event.ProgramID(n).Client()
		}
	} else if by := callerNamed.FindStringSubmatch(report[:at[0]]); by != nil {
		if n, err := strconv.ParseUint(by[1], 10, 20); err == nil && n > 0 {
			who = sim.FirstClient + sim.Addr(n) - 1
		}
	}
	if who == 0 {
		return window{}
	}
	seconds := func(i int) time.Duration {
		d, _ := time.ParseDuration(report[at[i]:at[i+1]] + "s")
		return d
	}
	// a report has no more than microseconds
	return window{client: who, from: seconds(2), to: seconds(4) + time.Microsecond}
}

// programs renames the clients in a report about a history as the other lines of a story name programs.
func programs(report string) string {
	return processNamed.ReplaceAllStringFunc(report, func(named string) string {
		n, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimPrefix(named, "client "), "-"), 10, 64)
		if err != nil || n>>20 == 0 {
			return named
		}
		return event.ProgramID(n).String()
	})
}

// subjectsOf returns what a report names.
func subjectsOf(report string) *subjects {
	s := &subjects{machines: map[sim.Addr]bool{}, ofLeases: leaseNamed.MatchString(report), window: windowOf(report), words: map[string]bool{}, paths: map[string]bool{}}
	for _, stem := range stems(report) {
		s.words[stem] = true
	}
	if s.sessions = named(ofSession, report); len(s.sessions) > 0 {
		s.session = s.sessions[0]
	}
	s.sessions = append(s.sessions, named(`\b(\d+)/\d+\.\d+\b`, report)...)
	s.ofEvents = slices.ContainsFunc([]string{"event", "hear", "heard", "drop", "cache"}, func(stem string) bool { return s.words[stem] })
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
		switch n.report {
		case ofLog:
			s.records = bits
		case ofNonce:
			s.nonces = bits
		}
		if bits != 0 && i < exclusives {
			s.exclusive = append(s.exclusive, exclusiveKind{regexp.MustCompile(fmt.Sprintf(n.elsewhere, `[1-9]\d*`)), bits})
		}
	}
	for _, slot := range named(`slot (\d+)`, report) {
		s.slots = append(s.slots, regexp.MustCompile(`^[^{]*\bin slot `+slot+`\b`))
	}
	for _, epoch := range named(`epoch (\d+)`, report) {
		s.slots = append(s.slots, regexp.MustCompile(`-> epoch `+epoch+` begins`))
	}
	for _, found := range callNamed.FindAllStringSubmatch(report, -1) {
		seq, session := found[1]+found[4], found[2]+found[3]
		s.calls = append(s.calls, callForm(session, seq))
	}
	for _, found := range timeNamed.FindAllStringSubmatch(report, -1) {
		if at, err := time.ParseDuration(found[1] + "s"); err == nil {
			s.times = append(s.times, at)
		}
	}
	slices.Sort(s.times)
	numbers := func(form *regexp.Regexp, add func(n uint64)) {
		for _, found := range form.FindAllStringSubmatch(report, -1) {
			if n, err := strconv.ParseUint(found[1], 10, 63); err == nil {
				add(n)
			}
		}
	}
	for _, path := range named(`(/[\w/.~-]+)`, report) {
		s.paths[path] = true
	}
	numbers(replicaNamed, func(n uint64) { s.machines[sim.Addr(n)] = n < uint64(sim.FirstClient) })
	numbers(clientNamed, func(n uint64) { s.machines[sim.FirstClient+sim.Addr(n)-1] = true })
	numbers(processNamed, func(n uint64) { s.machines[sim.FirstClient+sim.Addr(n>>32)] = true })
	return s
}

// callForm matches the texts that mention a call of a session.
func callForm(session, seq string) *regexp.Regexp {
	return regexp.MustCompile(`\bsession ` + session + ` seq ` + seq + `\b|\bcall ` + seq + ` of session ` + session + `\b`)
}

// isAtNamedTime reports whether a moment is at a time that the report names. Reports round to microseconds.
func (s *subjects) isAtNamedTime(at time.Duration) bool {
	return slices.Contains(s.times, at.Round(time.Microsecond)) || slices.Contains(s.times, at.Truncate(time.Microsecond))
}

// isBetweenNamedTimes reports whether a moment is between two times that the report names.
func (s *subjects) isBetweenNamedTimes(at time.Duration) bool {
	return len(s.times) > 1 && s.times[0] < at && at < s.times[len(s.times)-1]
}

// isInNamedSlot reports whether a command, in words, is in a slot that the report names.
func (s *subjects) isInNamedSlot(text string) bool { return matches(s.slots, text) }

func matches(forms []*regexp.Regexp, text string) bool {
	return slices.ContainsFunc(forms, func(re *regexp.Regexp) bool { return re.MatchString(text) })
}

// mentioned returns the things that a text mentions.
func (s *subjects) mentioned(text string) (bits uint64) {
	for i, re := range s.things[:min(len(s.things), 62)] {
		if re.MatchString(text) {
			bits |= 1 << i
		}
	}
	return bits
}

// in returns the things that a text mentions. It returns none if the report names things of an exclusive kind, and the
// text mentions only other things of that kind.
func (s *subjects) in(text string) (bits uint64) {
	bits = s.mentioned(text)
	for _, k := range s.exclusive {
		if bits&(k.bits|s.nonces) == 0 && bits != 0 && k.any.MatchString(text) {
			return 0
		}
	}
	return bits
}

var (
	word = regexp.MustCompile(`\b[A-Za-z]{3,}\b`)
	// empty matches words that most reports and moments have, whatever they are about.
	empty = regexp.MustCompile(`^(?:the|and|for|with|from|that|than|not|but|its|has|have|had|was|were|are|although|after|before|which|` +
		`replica|machine|client|program|node|slot|ballot|epoch|session|call|handle|boot|seq|seen|master|leader|record|returned|value)s?$`)
)

// stems returns the beginnings of the words of a text that say what it is about: "promises" and "promised" have one stem.
func stems(text string) (all []string) {
	const most = 5
	for _, w := range word.FindAllString(text, -1) {
		if w = strings.ToLower(w); !empty.MatchString(w) {
			all = append(all, strings.TrimSuffix(w[:min(len(w), most)], "s"))
		}
	}
	return all
}

// isOfDisks reports whether the report is about what disks hold: it has a word that begins so (see stems).
func (s *subjects) isOfDisks() bool {
	return slices.ContainsFunc([]string{"disk", "log", "synce", "durab", "damag", "unrea"}, func(stem string) bool { return s.words[stem] })
}

// sharesWord reports whether a text has a word of the report that says what it is about.
func (s *subjects) sharesWord(text string) bool {
	return slices.ContainsFunc(stems(text), func(stem string) bool { return s.words[stem] })
}
