package sim

import (
	"fmt"
	"reflect"
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
	Conformance                        // the implementation does not keep its own rules: see World.Diverge
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

// Failure is what ended a run.
type Failure struct {
	Kind    FailureKind
	ID      string        // for Broken, the property or invariant; for Conformance, the property that the rule serves
	Machine Addr          // the machine whose code failed, 0 for a checker or a fault
	At      time.Duration // true time
	Step    uint64        // which event
	Text    string        // what the check saw, or the value of the panic
	Check   string        // which check reported it: its format without arguments; for a panic, the function that panicked
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

// reports holds what was reported of a run: the failure that ended it, and the reports that did
// not.
type reports struct {
	w       *World
	failure *Failure
	judged  string     // the only property whose break ends the run; "": every one
	noted   []*Failure // reports that did not end the run, the first for each id
}

// Failure returns the failure that ended the run, or nil if none has.
func (w *World) Failure() *Failure { return w.reports.failure }

// JudgeOnly makes Break end the run only for the property id. Reports about other properties, and
// those of Diverge, are kept for Noted, and the run goes on. A panic of simulated code, by an
// invariant or otherwise, still ends the run. Call JudgeOnly before the first event.
func (w *World) JudgeOnly(id string) { w.reports.judged = id }

// Noted returns the reports that did not end the run because of JudgeOnly: the first one for each
// id, in the order of reports.
func (w *World) Noted() []*Failure { return w.reports.noted }

// Break reports that the property id does not hold, and ends the run after the present event,
// unless JudgeOnly named another property. Only the first report counts.
func (w *World) Break(id, format string, args ...any) {
	w.reports.report(w.reports.judged != "" && w.reports.judged != id, &Failure{Kind: Broken, ID: id, Text: fmt.Sprintf(format, args...), Check: format})
}

// Diverge reports that the simulated implementation breaks one of its own rules, and ends the run
// as Break does. id is the property that the rule serves. The property itself may still hold:
// another correct implementation may have other rules. If JudgeOnly named a property, the report is
// kept for Noted instead.
func (w *World) Diverge(id, format string, args ...any) {
	w.reports.report(w.reports.judged != "", &Failure{Kind: Conformance, ID: id, Text: fmt.Sprintf(format, args...), Check: format})
}

// report ends the run with f, or keeps f for Noted.
func (r *reports) report(keep bool, f *Failure) {
	if keep {
		r.note(f)
	} else {
		r.fail(f)
	}
}

// note keeps a report that does not end the run.
func (r *reports) note(f *Failure) {
	if r.failure != nil || r.w.closed || slices.ContainsFunc(r.noted, func(n *Failure) bool { return n.ID == f.ID }) {
		return
	}
	r.place(f)
	r.noted = append(r.noted, f)
	if r.w.trace.wants(f.Machine) {
		r.w.trace.line(f.Machine, "NOTED", f.Error())
	}
}

func (r *reports) fail(f *Failure) {
	if r.failure != nil || r.w.closed {
		return
	}
	r.place(f)
	r.failure = f
	if r.w.trace.wants(f.Machine) {
		r.w.trace.line(f.Machine, "FAILURE", f.Error())
	}
}

// place records when and where a report was made.
func (r *reports) place(f *Failure) {
	f.At, f.Step = r.w.Now(), r.w.timeline.steps
	if f.Machine == 0 && r.w.cur != nil {
		f.Machine = r.w.cur.addr
	}
}

// catch turns a panic of simulated code into the failure of the run.
func (r *reports) catch() {
	v := recover()
	if v == nil {
		return
	}
	if v != any(ended{}) { // a crash point was reached
		r.panicked(v, debug.Stack())
	}
	r.w.cur = nil
}

// panicked reports the panic of simulated code.
func (r *reports) panicked(value any, stack []byte) {
	f := &Failure{Kind: Crashed, Text: fmt.Sprint(value), Stack: trimStack(stack)}
	f.Check = raiser(f.Stack)
	if v, ok := value.(*invariant.Violation); ok {
		f.Kind, f.ID, f.Text = Broken, string(v.ID), v.Text
	}
	r.fail(f)
}

// raiser returns the function that panicked, given a stack whose first frame is panic itself, or ""
// if the stack does not show it. It skips frames of package invariant.
func raiser(stack string) string {
	for _, line := range strings.Split(stack, "\n") {
		name := calledIn(line)
		if name != "" && name != "panic" && !strings.HasPrefix(name, "runtime.") && !strings.Contains(name, "internal/invariant.") {
			return name
		}
	}
	return ""
}

// calledIn returns the function in a line of a stack; "": the line names none. Arguments have no parenthesis.
func calledIn(line string) string {
	if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "created by ") || !strings.HasSuffix(line, ")") {
		return ""
	}
	return line[:strings.LastIndexByte(line, '(')]
}

// own begins the names of the functions of this package.
var own = reflect.TypeFor[World]().PkgPath() + "."

// trimStack drops the frames above the panic, and those below the simulated code: how the simulator came to call it says
// nothing about the panic. A stack without simulated code stays whole.
func trimStack(b []byte) string {
	s := string(b)
	if i := strings.LastIndex(s, "\npanic("); i >= 0 {
		s = s[i+1:]
	}
	at, end := 0, 0 // of the present frame; of the frames to keep
	simulated := false
	for line := range strings.Lines(s) {
		at += len(line)
		switch name := calledIn(strings.TrimSuffix(line, "\n")); {
		case name == own+"(*World).step" || name == own+"(*coroutine).run":
			if end > 0 {
				return s[:end]
			}
			return s
		case name != "":
			simulated = name != "panic" && !strings.HasPrefix(name, "runtime.") && !strings.HasPrefix(name, own)
		case simulated || strings.Contains(line, "_test.go:"): // the file of a frame; a test may be in this package
			end = at
		}
	}
	return s
}
