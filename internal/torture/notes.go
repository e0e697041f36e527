package torture

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// keep remembers a history.
func (r *run) keep(b book) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.books = append(r.books, b)
}

// retire has a history judged that is not used any more, but for reads now and then.
func (r *run) retire(b book) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready = append(r.ready, b)
}

// maxViolations ends a list.
const maxViolations = 10

// broken takes down that a property does not hold, and ends the run.
func (r *run) broken(property, format string, args ...any) {
	r.breaks(Violation{Property: property, Text: fmt.Sprintf(format, args...)})
}

func (r *run) breaks(v Violation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.violations) == 0 {
		r.first = time.Duration(r.clock.now())
		fmt.Fprintf(r.log, "%v broke: %s: %s\n", r.first, v.Property, v.Text)
	}
	if len(r.violations) < maxViolations && !slices.Contains(r.violations, v) {
		r.violations = append(r.violations, v)
	}
	if r.stop != nil {
		r.stop()
	}
}

func (r *run) violationsNow() []Violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.violations
}

// count takes down that a call was answered.
func (r *run) count(n *atomic.Int64) {
	n.Add(1)
	at := time.Duration(r.clock.now())
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gap.answered(at, r.fault)
}

func (r *run) operations() int64 {
	return r.ops.rows.Load() + r.ops.files.Load() + r.ops.locks.Load()
}

// master is the replica that the client with the newest knowledge takes for the master; 0: none.
func (r *run) master() int {
	best, epoch := 0, uint64(0)
	for _, s := range r.sessions {
		if st, ok := s.status(); ok && uint64(st.Epoch) >= epoch {
			best, epoch = int(st.Target), uint64(st.Epoch)
		}
	}
	return best
}

// note takes down a fault, for the log and for gaps.
func (r *run) note(f Fault, on []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fault = f.String()
	if len(on) > 0 {
		r.fault += fmt.Sprintf(" %v", on)
	}
	fmt.Fprintf(r.log, "%v %s\n", time.Duration(r.clock.now()), r.fault)
}

func (r *run) presentFault() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fault
}

func (r *run) say(format string, args ...any) {
	if r.cfg.Progress != nil {
		r.cfg.Progress(fmt.Sprintf("%4.0fs  ", time.Since(r.clock.begun).Seconds()) + strings.TrimSuffix(fmt.Sprintf(format, args...), "; "))
	}
}
