package sim

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// Addr names a machine on the network. Replicas count from 1, clients from FirstClient. 0 names no
// machine.
type Addr uint32

// FirstClient is the address of the first client machine.
const FirstClient Addr = 1 << 16

// IsClient reports whether a is in the range of client machines.
func (a Addr) IsClient() bool { return a >= FirstClient }

// String returns n3 for a replica, c1 for the first client, and - for no machine.
func (a Addr) String() string {
	switch {
	case a == 0:
		return "-"
	case a.IsClient():
		return fmt.Sprintf("c%d", a-FirstClient+1)
	}
	return fmt.Sprintf("n%d", uint32(a))
}

// Config configures a world. Equal configurations give equal runs.
type Config struct {
	Seed  uint64
	Steps uint64     // maximum number of events of a run; 0: no bound
	Link  LinkConfig // the default of every link
	// LinkDraws numbers another set of draws for the delays, losses and order of messages on all
	// links; 0: the seed's own. Machines, clocks and programs draw the same with every set. With
	// another set, draws of links and disks depend on the instant, and not on how many there were
	// before. So a run without one message or one disk operation differs in what follows from it only.
	LinkDraws uint64
	Trace     Trace
	// Watchdog is for how long, in real time, a coroutine may keep the world from continuing before
	// Stuck is called. 0 means a minute, below 0 means never. It cannot change a run, only end one
	// that would hang for ever.
	Watchdog time.Duration
	// Stuck is called with the seed and the stacks of code that blocks outside the simulator, once
	// until the world continues. It runs on a goroutine of its own. If it is nil, the program
	// panics with that text.
	Stuck func(text string)
}

// World is one simulated world. One goroutine at a time runs in it, and one event at a time
// happens. No method is safe for concurrent use; to run many worlds at once, give each its own
// goroutine.
type World struct {
	cfg   Config
	src   draw.Source
	links draw.Source // of the draws of links

	timeline   timeline   // true time, and the events ahead
	machines   machines   // that were added
	net        Network    // between them
	coroutines coroutines // code that blocks
	contexts   contexts   // that it waits under
	reports    reports    // of broken properties
	counts     counters
	measures   measures
	hash       sum
	trace      tracer
	watch      watch
	shared     map[any]any // see Shared

	cur     *Machine // the machine whose code runs, nil for the world's own
	stopped bool
	closed  bool
}

// New returns an empty world at true time 0.
func New(cfg Config) *World {
	w := &World{cfg: cfg, src: draw.New(cfg.Seed)}
	if w.links = w.src; cfg.LinkDraws != 0 {
		w.links = w.src.Sub("world.links", cfg.LinkDraws)
	}
	w.timeline.ties, w.timeline.apart = w.src.Stream("world.tie", 0), w.src.Stream("world.tie", 1)
	w.net.init(w, cfg.Link)
	w.coroutines.w, w.reports.w = w, w
	w.trace = tracer{cfg: cfg.Trace, timeline: &w.timeline, machines: &w.machines}
	if made := cfg.Trace.Made; made != nil {
		made(w)
	}
	return w
}

// Seed returns the seed of the world.
func (w *World) Seed() uint64 { return w.cfg.Seed }

// Now returns the true time since the start of the world. Only the simulator, faults and checkers
// may use it.
func (w *World) Now() time.Duration { return time.Duration(w.timeline.now) }

// Steps returns the number of events so far.
func (w *World) Steps() uint64 { return w.timeline.steps }

// Draw returns the draws of an entity at a site. Two calls with equal arguments give the same
// numbers: keep the Draw, or vary the site.
func (w *World) Draw(site string, entity uint64) *Draw {
	return &Draw{s: w.src.Stream(site, entity)}
}

// Timer is a call scheduled at a true time.
type Timer struct {
	w *World
	t ticket
}

// Stop cancels the call, if it has not been made.
func (t Timer) Stop() {
	if t.w != nil {
		t.w.timeline.cancel(t.t)
	}
}

// call is the target of a plain function.
type call func()

func (f call) fire(*World, uint64, *packet) { f() }

// After calls f when d of true time has passed. The call belongs to the world: it is made whatever
// happens to the machines.
func (w *World) After(d time.Duration, f func()) Timer {
	return Timer{w, w.timeline.schedule(int64(d), &w.timeline.ties, call(f), 0, nil)}
}

// AfterApart is World.After for a call that one of two runs with the same history lacks: the timer
// that decides when a fault strikes, where the other run has a script that says so. Seeded draws
// decide the order of events of one instant. The draw for this call changes no other.
func AfterApart(w *World, d time.Duration, f func()) Timer {
	return Timer{w, w.timeline.schedule(int64(d), &w.timeline.apart, call(f), 0, nil)}
}

// End is the reason why Run returned.
type End uint8

// The ends of a run.
const (
	Reached   End = iota // true time has reached the given instant
	Quiet                // there are no more events
	Stopped              // Stop was called
	Failed               // Failure has the reason
	Exhausted            // Config.Steps events have happened
)

// String names the end.
func (e End) String() string {
	return [...]string{"reached", "quiet", "stopped", "failed", "exhausted"}[e]
}

// Stop makes Run return after the present event.
func (w *World) Stop() { w.stopped = true }

// Run lets events happen until true time is until, and returns why it stopped. After Reached, Quiet
// or Stopped it may be called again.
func (w *World) Run(until time.Duration) End {
	w.watch.start(w.cfg)
	defer w.watch.stop()
	w.stopped = false
	for {
		if end, done := w.loop(int64(until)); done {
			return end
		}
	}
}

// RunFor is Run for d of true time from now.
func (w *World) RunFor(d time.Duration) End { return w.Run(w.Now() + d) }

// Step lets one event happen. It returns false if there is none, or if the run has failed.
func (w *World) Step() (happened bool) {
	at, ok := w.timeline.q.peek()
	if !ok || w.reports.failure != nil || w.closed {
		return false
	}
	happened = true
	defer w.reports.catch()
	w.step(at)
	return happened
}

// loop is Run up to the first panic of simulated code.
func (w *World) loop(until int64) (end End, done bool) {
	defer w.reports.catch()
	for {
		if w.reports.failure != nil || w.closed {
			return Failed, true
		}
		if w.stopped {
			return Stopped, true
		}
		at, ok := w.timeline.q.peek()
		if !ok {
			w.timeline.now = max(w.timeline.now, until)
			return Quiet, true
		}
		if at > until {
			w.timeline.now = max(w.timeline.now, until)
			return Reached, true
		}
		if w.cfg.Steps > 0 && w.timeline.steps >= w.cfg.Steps {
			return Exhausted, true
		}
		w.step(at)
	}
}

func (w *World) step(at int64) {
	ev, ok := w.timeline.next(at)
	if !ok {
		w.reports.fail(tooManyAtOnce(ev))
	}
	w.timeline.steps++
	if w.timeline.steps&255 == 0 {
		w.watch.beat()
	}
	w.hash.fold(markEvent<<60 ^ uint64(at))
	ev.to.fire(w, ev.arg, ev.p)
	if w.contexts.mayHaveEnded {
		w.contexts.mayHaveEnded = false
		w.contexts.poll()
	}
}

// tooManyAtOnce is the failure of a run in which time no longer passes (L1).
func tooManyAtOnce(ev event) *Failure {
	f := &Failure{Kind: Broken, ID: "L1"}
	why := "messages are answered without a delay, or a wake-up lies in the past"
	switch to := ev.to.(type) {
	case *timer:
		f.Machine = to.m.addr
		why = fmt.Sprintf("a timer of %s rings again and again; a wake-up in the past stays in force until WakeAt is called again", to.m.addr)
	case *resumption:
		why = fmt.Sprintf("%q waits again and again for no time", to.name)
	}
	f.Text = fmt.Sprintf("%d events at one instant: %s", maxPerInstant, why)
	return f
}

// Close ends all coroutines and releases what they hold. The world is unusable afterwards, but its
// counters, hash and failure can still be read.
func (w *World) Close() {
	if w.closed {
		return
	}
	for _, m := range w.machines.every() {
		m.endLife()
	}
	w.closed = true
	w.coroutines.close()
	w.timeline.q = queue{}
}
