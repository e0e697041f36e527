package sim

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// Addr names a machine on the network. Replicas count from 1, clients from
// FirstClient. 0 is no machine.
type Addr uint32

// FirstClient is the address of the first client machine.
const FirstClient Addr = 1 << 16

// IsClient reports that a is in the range of client machines.
func (a Addr) IsClient() bool { return a >= FirstClient }

// String prints n3 for a replica, c1 for the first client, - for no machine.
func (a Addr) String() string {
	switch {
	case a == 0:
		return "-"
	case a.IsClient():
		return fmt.Sprintf("c%d", a-FirstClient+1)
	}
	return fmt.Sprintf("n%d", uint32(a))
}

// Config is what a world is made from. Equal configurations give equal runs.
type Config struct {
	Seed  uint64
	Steps uint64     // most events of a run; 0: no bound
	Link  LinkConfig // of every link that gets no other
	Trace Trace
	// Watchdog is how long, in real time, a coroutine may keep the world from
	// going on before Stuck is called; 0 means a minute, below 0 means never. It
	// cannot change a run, only end one that would hang for ever.
	Watchdog time.Duration
	// Stuck is called with the stacks of code that blocks outside the simulator.
	// It runs on a goroutine of its own. Nil panics with that text.
	Stuck func(text string)
}

// World is one simulated world: one goroutine at a time runs in it, and an
// event at a time happens. Nothing in it is safe for use from elsewhere; run
// many worlds at once by giving each its own goroutine.
type World struct {
	cfg       Config
	src       draw.Source
	q         queue
	now       int64
	steps     uint64
	atInstant uint64 // events at this instant
	hash      sum

	net      Network
	replicas []*Machine
	clients  []*Machine
	cur      *Machine // the machine whose code runs, nil for the world's own
	ties     draw.Stream
	pool     pool
	counts   counters
	blocked  []*coroutine // waiting under a context that can be canceled
	userRan  bool         // code ran that may have canceled one

	failure *Failure
	judged  string     // the only property whose break ends the run; "": every one
	noted   []*Failure // reports that did not end it, the first for each id
	stopped bool
	closed  bool
	dog     *watchdog
}

// New makes an empty world at true time 0.
func New(cfg Config) *World {
	w := &World{cfg: cfg, src: draw.New(cfg.Seed)}
	w.ties = w.src.Stream("world.tie", 0)
	w.net.init(w, cfg.Link)
	w.pool.w = w
	return w
}

// Seed is the seed of the world.
func (w *World) Seed() uint64 { return w.cfg.Seed }

// Now is the true time, from the start of the world. Only the simulator, faults
// and checkers may know it.
func (w *World) Now() time.Duration { return time.Duration(w.now) }

// Steps counts the events that happened.
func (w *World) Steps() uint64 { return w.steps }

// Draw returns the draws of an entity at a site. Two calls with equal arguments
// give the same numbers: keep the Draw, or vary the site.
func (w *World) Draw(site string, entity uint64) *Draw {
	return &Draw{s: w.src.Stream(site, entity)}
}

// Timer is a call that will be made at a true time.
type Timer struct {
	w *World
	t ticket
}

// Stop cancels the call, if it was not made.
func (t Timer) Stop() {
	if t.w != nil {
		t.w.q.cancel(t.t)
	}
}

// call is the target of a plain function.
type call func()

func (f call) fire(*World, uint64, *packet) { f() }

// After calls f when d of true time has passed. The call belongs to the world: it is
// made whatever becomes of the machines.
func (w *World) After(d time.Duration, f func()) Timer {
	return Timer{w, w.schedule(int64(d), &w.ties, call(f), 0, nil)}
}

// schedule puts an event d nanoseconds ahead. ties are the draws of the scheduling
// entity.
func (w *World) schedule(d int64, ties *draw.Stream, to target, arg uint64, p *packet) ticket {
	at := w.now
	if d > 0 {
		at = addCapped(w.now, uint64(d))
	}
	return w.q.push(at, ties.Uint64(), to, arg, p)
}

// End is the reason why Run returned.
type End uint8

// The ends of a run.
const (
	Reached   End = iota // true time has come to the given instant
	Quiet                // no event is left
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

// Run lets events happen until true time is until, and returns why it stopped. After
// Reached, Quiet or Stopped it may be called again.
func (w *World) Run(until time.Duration) End {
	w.watch()
	defer w.unwatch()
	w.stopped = false
	for {
		if end, done := w.loop(int64(until)); done {
			return end
		}
	}
}

// RunFor is Run until d from now.
func (w *World) RunFor(d time.Duration) End { return w.Run(w.Now() + d) }

// Step lets one event happen. It returns false when there is none to happen,
// or when the run has failed.
func (w *World) Step() (happened bool) {
	at, ok := w.q.peek()
	if !ok || w.failure != nil || w.closed {
		return false
	}
	happened = true
	defer w.catch()
	w.step(at)
	return happened
}

// loop is Run up to the first panic of simulated code.
func (w *World) loop(until int64) (end End, done bool) {
	defer w.catch()
	for {
		if w.failure != nil || w.closed {
			return Failed, true
		}
		if w.stopped {
			return Stopped, true
		}
		at, ok := w.q.peek()
		if !ok {
			w.now = max(w.now, until)
			return Quiet, true
		}
		if at > until {
			w.now = max(w.now, until)
			return Reached, true
		}
		if w.cfg.Steps > 0 && w.steps >= w.cfg.Steps {
			return Exhausted, true
		}
		w.step(at)
	}
}

// maxPerInstant is how many events at one instant end a run: no time would pass any
// more, and nothing that waits for time would end (L1).
const maxPerInstant = 1 << 20

func (w *World) step(at int64) {
	_, ev := w.q.pop()
	if at > w.now {
		w.now, w.atInstant = at, 0
	} else if w.atInstant++; w.atInstant == maxPerInstant {
		f := &Failure{Kind: Broken, ID: "L1", Text: fmt.Sprintf("%d events at one instant: a process asks for a wake-up in the past, again and again", maxPerInstant)}
		if t, rings := ev.to.(*timer); rings {
			f.Machine = t.m.addr
		}
		w.fail(f)
	}
	w.steps++
	if w.steps&255 == 0 {
		w.beat()
	}
	w.hash.fold(markEvent<<60 ^ uint64(at))
	ev.to.fire(w, ev.arg, ev.p)
	if w.userRan {
		w.userRan = false
		w.pollContexts()
	}
}

// Close ends all coroutines and releases what they hold. The world is of no
// use afterwards; counters, hash and failure can still be read.
func (w *World) Close() {
	if w.closed {
		return
	}
	for _, m := range w.all() {
		m.endLife()
	}
	w.closed = true
	w.pool.close()
	w.q = queue{}
}

// Machine returns the machine with this address, nil if there is none.
func (w *World) Machine(a Addr) *Machine {
	if a.IsClient() {
		if i := int(a - FirstClient); i < len(w.clients) {
			return w.clients[i]
		}
		return nil
	}
	if a == 0 || int(a) > len(w.replicas) {
		return nil
	}
	return w.replicas[a-1]
}

// Replicas returns the machines below FirstClient in the order of their
// addresses. The slice belongs to the caller.
func (w *World) Replicas() []*Machine { return append([]*Machine(nil), w.replicas...) }

// Clients returns the machines from FirstClient on, in order.
func (w *World) Clients() []*Machine { return append([]*Machine(nil), w.clients...) }

func (w *World) all() []*Machine { return append(w.Replicas(), w.clients...) }
