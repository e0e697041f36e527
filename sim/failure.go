package sim

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/invariant"
)

// FailureKind says what kind of end a run came to.
type FailureKind uint8

// The kinds of failure. Broken means that a numbered property or invariant does
// not hold; Crashed, that simulated code panicked in another way.
const (
	Broken FailureKind = iota + 1
	Crashed
)

// String names the kind.
func (k FailureKind) String() string {
	if k == Broken {
		return "broken"
	}
	return "crashed"
}

// Failure is what ended a run.
type Failure struct {
	Kind    FailureKind
	ID      string        // of the property or invariant, for Broken
	Machine Addr          // whose code it was, 0 for a checker or a fault
	At      time.Duration // true time
	Step    uint64        // which event
	Text    string        // what was seen
	Stack   string        // of the panic, if there was one
}

// Error says it in one line.
func (f *Failure) Error() string {
	what := "panic"
	if f.Kind == Broken {
		what = f.ID + " broken"
	}
	return fmt.Sprintf("%s at %s (machine %s, event %d): %s", what, stamp(f.At), f.Machine, f.Step, f.Text)
}

// Failure returns what ended the run, nil while nothing did.
func (w *World) Failure() *Failure { return w.failure }

// JudgeOnly has Break end the run for one property alone. What breaks of others is
// kept for Noted, and the run goes on. A panic of simulated code, by an invariant or
// otherwise, ends the run as before. It is called before the first event.
func (w *World) JudgeOnly(id string) { w.judged = id }

// Noted is what broke of other properties than the one of JudgeOnly: the first report
// of each, in the order of reports.
func (w *World) Noted() []*Failure { return w.noted }

// Break reports that the property id does not hold and ends the run after the
// present event, unless JudgeOnly named another one. The first report counts.
func (w *World) Break(id, format string, args ...any) {
	if w.judged != "" && w.judged != id {
		w.note(id, format, args...)
		return
	}
	w.fail(&Failure{Kind: Broken, ID: id, Text: fmt.Sprintf(format, args...)})
}

// note keeps a report that does not end the run.
func (w *World) note(id, format string, args ...any) {
	if w.failure != nil || w.closed || slices.ContainsFunc(w.noted, func(f *Failure) bool { return f.ID == id }) {
		return
	}
	f := &Failure{Kind: Broken, ID: id, Text: fmt.Sprintf(format, args...)}
	w.place(f)
	w.noted = append(w.noted, f)
	if w.on(f.Machine) {
		w.line(f.Machine, "NOTED", f.Error())
	}
}

func (w *World) fail(f *Failure) {
	if w.failure != nil || w.closed {
		return
	}
	w.place(f)
	w.failure = f
	if w.on(f.Machine) {
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
		w.panicked(r, debug.Stack())
	}
	w.cur = nil
}

// panicked reports what simulated code panicked with.
func (w *World) panicked(r any, stack []byte) {
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
