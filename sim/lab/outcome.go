package lab

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Outcome is what is seen of one run. Times are true times.
type Outcome struct {
	Lines    []Line        `json:"time_line"`
	Overlaps []Overlap     `json:"overlaps"`
	Writes   []Write       `json:"writes"`
	Waits    []Wait        `json:"waits"`
	Holds    []Hold        `json:"holds"`
	Wakes    []Wake        `json:"-"`        // of each release for which clients waited
	Messages uint64        `json:"messages"` // between clients and the service, those that were lost included
	Length   time.Duration `json:"length_ns"`
	Hash     string        `json:"hash"` // of all that happened

	Faults   []Fault             `json:"-"` // of the script
	Machines map[sim.Addr]string `json:"-"` // their names
}

// Overlap is a span in which two clients acted as holders.
type Overlap struct {
	First  string        `json:"first"` // the one that began first
	Second string        `json:"second"`
	From   time.Duration `json:"from_ns"`
	To     time.Duration `json:"to_ns"`
}

// outcome closes the ledger of a run that is over.
func (l *ledger) outcome(now time.Duration, hash uint64) Outcome {
	o := Outcome{
		Lines: l.lines, Faults: l.faults, Overlaps: []Overlap{}, Writes: []Write{}, Waits: []Wait{}, Holds: []Hold{},
		Messages: l.passed, Length: now, Hash: fmt.Sprintf("%016x", hash),
	}
	o.Wakes = l.herd.wakes
	l.writes.judge(l.holds)
	for _, w := range l.writes {
		o.Writes = append(o.Writes, *w)
	}
	for _, h := range l.holds {
		h.end(now)
		o.Holds = append(o.Holds, *h)
	}
	for _, w := range l.waits {
		if !w.Got {
			w.To = now
		}
		o.Waits = append(o.Waits, *w)
	}
	o.Overlaps = append(o.Overlaps, overlaps(o.Holds)...)
	return o
}

// overlaps finds holds of two clients that have an instant in common.
func overlaps(all []Hold) (found []Overlap) {
	for i, h := range all {
		for _, x := range all[i+1:] {
			from, to := max(h.From, x.From), min(h.To, x.To)
			if h.Client != x.Client && from < to {
				found = append(found, Overlap{h.Client, x.Client, from, to})
			}
		}
	}
	return found
}

// of counts the writes for which f is true, and names their clients.
func (o *Outcome) of(f func(w *Write) bool) (n int, who string) {
	var names []string
	for i := range o.Writes {
		if f(&o.Writes[i]) {
			names = append(names, o.Writes[i].Client)
		}
	}
	return len(names), strings.Join(names, ", ")
}

func isLost(w *Write) bool            { return w.Lost }
func isStale(w *Write) bool           { return w.Stale }
func isRefused(w *Write) bool         { return !w.Accepted && !w.Wrongly && !w.Conflict }
func isWrong(w *Write) bool           { return w.Wrongly }
func isMoot(w *Write) bool            { return w.Conflict }
func isHarmlesslyStale(w *Write) bool { return w.Stale && !w.Lost }

// longest is the longest wait for the lock, and whose.
func (o *Outcome) longest() (d time.Duration, w Wait) {
	for _, x := range o.Waits {
		if x.To-x.From > d {
			d, w = x.To-x.From, x
		}
	}
	return d, w
}

// longWait is a wait for the lock that a reader should be told of.
const longWait = time.Minute

// String says in one line what was seen.
func (o *Outcome) String() string {
	var parts []string
	for _, x := range o.Overlaps {
		parts = append(parts, fmt.Sprintf("%s and %s overlap for %s s", x.First, x.Second, short(x.To-x.From)))
	}
	for _, x := range []struct {
		is     func(w *Write) bool
		format string
	}{
		{isLost, "update of %s lost"}, {isHarmlesslyStale, "stale write of %s taken"},
		{isRefused, "late request of %s refused"}, {isWrong, "rightful holder %s refused"},
		{isMoot, "%s writes anew"},
	} {
		if n, who := o.of(x.is); n > 0 {
			parts = append(parts, fmt.Sprintf(x.format, who))
		}
	}
	switch d, w := o.longest(); {
	case w.Client != "" && !w.Got:
		parts = append(parts, fmt.Sprintf("%s waits %s s in vain", w.Client, short(d)))
	case d >= longWait:
		parts = append(parts, fmt.Sprintf("%s waits %s s", w.Client, short(d)))
	case len(parts) == 0:
		return "one holder at a time, no update lost"
	}
	return strings.Join(parts, "; ")
}

// short prints a span for people.
func short(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }
