package sim

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Blocked says where a coroutine waits. It is for reports on programs that do not end.
type Blocked struct {
	Machine Addr
	Name    string // as given when it was started; "main" for a Program
	// Calls are the functions on its stack, innermost first, without those of this package, each as
	// package.function (file:line).
	Calls []string
}

// mostCalls bounds Blocked.Calls.
const mostCalls = 32

// Blocked returns where the coroutines of a machine wait, in the order in which they were started
// as long as none has ended. Call it outside the run: between two calls of Run, or in a Property.
// It changes nothing.
func (w *World) Blocked(a Addr) []Blocked {
	m := w.Machine(a)
	if m == nil || m.env == nil {
		return nil
	}
	var all []Blocked
	for _, c := range m.env.cos {
		if c.state == coParked {
			all = append(all, Blocked{Machine: a, Name: c.name, Calls: c.captureStack()})
		}
	}
	return all
}

// String names the call in which the coroutine waits, and the code outside of package client that
// made the call.
func (b Blocked) String() string {
	s := fmt.Sprintf("%v (%s) waits", b.Machine, b.Name)
	if len(b.Calls) == 0 {
		return s
	}
	s += " in " + b.Calls[0]
	for _, call := range b.Calls {
		if !strings.HasPrefix(call, "client.") && !strings.HasPrefix(call, "session.") {
			if call != b.Calls[0] {
				s += ", called by " + call
			}
			break
		}
	}
	return s
}

// captureStack resumes a parked coroutine, which records the functions on its own stack and parks
// again. It returns what the coroutine recorded.
func (c *coroutine) captureStack() []string {
	c.capturing = true
	c.next()
	calls := c.calls
	c.calls = nil
	return calls
}

// recordStack is the part of captureStack that runs on the coroutine itself.
func (c *coroutine) recordStack() {
	c.capturing = false
	pc := make([]uintptr, 2*mostCalls)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	for len(c.calls) < mostCalls {
		f, more := frames.Next()
		if name := path.Base(f.Function); f.Function != "" && !isOfSimulator(f.Function) {
			c.calls = append(c.calls, fmt.Sprintf("%s (%s:%d)", name, path.Base(f.File), f.Line))
		}
		if !more {
			return
		}
	}
}

// isOfSimulator reports whether a function belongs to this package, or to the packages that run its
// coroutines.
func isOfSimulator(function string) bool {
	const own = "github.com/chubbycell/chubby/sim."
	return strings.HasPrefix(function, own) || strings.HasPrefix(function, "iter.") || strings.HasPrefix(function, "runtime.")
}
