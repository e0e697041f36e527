package sim

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
)

// FailureKind is the kind of a failure.
type FailureKind uint8

// The kinds of failure.
const (
	Broken      FailureKind = iota + 1 // a numbered property or invariant does not hold
	Crashed                            // simulated code panicked in another way
	Conformance                        // our implementation does not do what its own rules demand: see World.Diverge
)

// String names the kind.
func (k FailureKind) String() string {
	switch k {
	case Broken:
		return "broken"
	case Conformance:
		return "conformance"
	}
	return "crashed"
}

// Failure describes what ended a run.
type Failure struct {
	Kind    FailureKind
	ID      string        // of the property or invariant, for Broken; of the property that a rule serves, for Conformance
	Machine Addr          // the machine whose code failed, 0 for a checker or a fault
	At      time.Duration // true time
	Step    uint64        // which event
	Text    string        // what was seen
	Stack   string        // of the panic, if there was one
}

// Error describes the failure in one line.
func (f *Failure) Error() string {
	what := "panic"
	switch f.Kind {
	case Broken:
		what = f.ID + " broken"
	case Conformance:
		what = "conformance " + f.ID + " broken"
	}
	return fmt.Sprintf("%s at %s (machine %s, event %d): %s", what, stamp(f.At), f.Machine, f.Step, f.Text)
}

// Failure returns the failure that ended the run, nil if none has.
func (w *World) Failure() *Failure { return w.failure }

// JudgeOnly makes Break end the run for property id alone. Reports about other
// properties, and those of Diverge, are kept for Noted, and the run goes on. A panic of
// simulated code, by an invariant or otherwise, ends the run as before. Call JudgeOnly
// before the first event.
func (w *World) JudgeOnly(id string) { w.judged = id }

// Noted returns the reports that did not end the run because of JudgeOnly: the first one
// for each id, in the order of reports.
func (w *World) Noted() []*Failure { return w.noted }

// Break reports that the property id does not hold and ends the run after the
// present event, unless JudgeOnly named another one. The first report counts.
func (w *World) Break(id, format string, args ...any) {
	w.report(w.judged != "" && w.judged != id, &Failure{Kind: Broken, ID: id, Text: fmt.Sprintf(format, args...)})
}

// Diverge reports that the simulated implementation does not do what a rule of its own
// demands, and ends the run as Break does. id is the property that the rule serves. The
// property itself is not known to be broken: another implementation may be correct and
// have other rules. Where JudgeOnly named a property, the report is kept for Noted.
func (w *World) Diverge(id, format string, args ...any) {
	w.report(w.judged != "", &Failure{Kind: Conformance, ID: id, Text: fmt.Sprintf(format, args...)})
}

// report ends the run by f, or keeps f for Noted.
func (w *World) report(keep bool, f *Failure) {
	if keep {
		w.note(f)
	} else {
		w.fail(f)
	}
}

// note keeps a report that does not end the run.
func (w *World) note(f *Failure) {
	if w.failure != nil || w.closed || slices.ContainsFunc(w.noted, func(n *Failure) bool { return n.ID == f.ID }) {
		return
	}
	w.place(f)
	w.noted = append(w.noted, f)
	if w.isTraced(f.Machine) {
		w.line(f.Machine, "NOTED", f.Error())
	}
}

func (w *World) fail(f *Failure) {
	if w.failure != nil || w.closed {
		return
	}
	w.place(f)
	w.failure = f
	if w.isTraced(f.Machine) {
		w.line(f.Machine, "FAILURE", f.Error())
	}
}

// place fills in when and where a report was made.
func (w *World) place(f *Failure) {
	f.At, f.Step = w.Now(), w.steps
	if f.Machine == 0 && w.cur != nil {
		f.Machine = w.cur.addr
	}
}

// catch turns a panic of simulated code into the failure of the run.
func (w *World) catch() {
	r := recover()
	if r == nil {
		return
	}
	if r != any(ended{}) { // a crash point was reached
		w.reportPanic(r, debug.Stack())
	}
	w.cur = nil
}

// panicked reports what simulated code panicked with.
func (w *World) reportPanic(r any, stack []byte) {
	f := &Failure{Kind: Crashed, Text: fmt.Sprint(r), Stack: trimStack(stack)}
	if v, ok := r.(*invariant.Violation); ok {
		f.Kind, f.ID, f.Text = Broken, string(v.ID), v.Text
	}
	w.fail(f)
}

// trimStack drops the frames above the panic.
func trimStack(b []byte) string {
	s := string(b)
	if i := strings.LastIndex(s, "\npanic("); i >= 0 {
		return s[i+1:]
	}
	return s
}
