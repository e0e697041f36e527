package lab

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Bench is the world of one run: machines with names, the clients and the resource, what was
// done to them, and what is seen of it. Variants build on it, scripts act on it.
type Bench struct {
	world   *sim.World
	variant Variant
	lock    Lock
	store   *store
	names   map[string]*sim.Machine
	byAddr  map[sim.Addr]string
	foreign map[sim.Addr]bool // their programs are no Nodes
	clients []string          // in order
	left    int               // jobs that have not ended
	numbers uint64            // of calls
	whens   map[occasion][]func()
	cuts    cuts
	sees    ledger
}

// occasion is a step of a client's job.
type occasion struct {
	client string
	step   Step
}

// Line is one line of a time line.
type Line struct {
	At   time.Duration `json:"at_ns"` // true time
	Who  string        `json:"who"`   // name of the machine
	Text string        `json:"text"`
}

// linkDelay is how long a message takes, one way, where no fault is.
const linkDelay = 500 * time.Microsecond

// newBench makes the world of a run, with the resource in it.
func newBench(v Variant, seed uint64, t sim.Trace) *Bench {
	b := &Bench{
		variant: v, names: map[string]*sim.Machine{}, byAddr: map[sim.Addr]string{}, foreign: map[sim.Addr]bool{}, whens: map[occasion][]func(){}, cuts: cuts{},
	}
	t.Describe = describer(t.Describe, b.foreign)
	b.world = sim.New(sim.Config{Seed: seed, Link: sim.LinkConfig{Delay: sim.Table{linkDelay}}, Trace: t})
	b.lock = v.Build(b)
	b.store = newStore(b)
	return b
}

// World is the simulated world, for what Bench has no method for.
func (b *Bench) World() *sim.World { return b.world }

// Lock is what the variant built, for scripts that have to know the system.
func (b *Bench) Lock() Lock { return b.lock }

// Now is the true time.
func (b *Bench) Now() time.Duration { return b.world.Now() }

// Node puts a machine of the lock service into the world and starts it. main is called on a
// coroutine at the beginning of each life; it registers what the machine serves, and may return.
func (b *Bench) Node(name string, c sim.MachineConfig, main func(n *Node)) *sim.Machine {
	c.Addr = 0
	return b.add(name, c, main)
}

// Process puts a machine of the lock service into the world whose program is no Node, such as
// a replica that ships. Clients reach it by Node.Runtime. Those that are built first have the
// addresses 1, 2 and so on.
func (b *Bench) Process(name string, c sim.MachineConfig) *sim.Machine {
	c.Addr = 0
	m := b.enter(name, c)
	b.foreign[m.Addr()] = true
	return m
}

func (b *Bench) add(name string, c sim.MachineConfig, main func(n *Node)) *sim.Machine {
	c.Process = sim.Program(func(rt *sim.Runtime) { main(newNode(b, name, rt)) })
	return b.enter(name, c)
}

func (b *Bench) enter(name string, c sim.MachineConfig) *sim.Machine {
	if b.names[name] != nil {
		panic(fmt.Sprintf("two machines are called %q", name))
	}
	m := b.world.Add(c)
	b.names[name], b.byAddr[m.Addr()] = m, name
	m.Start()
	return m
}

// Machine is the machine with this name. A name that no machine has is a mistake of the
// script, and panics.
func (b *Bench) Machine(name string) *sim.Machine {
	m := b.names[name]
	if m == nil {
		panic(fmt.Sprintf("no machine is called %q", name))
	}
	return m
}

func (b *Bench) address(name string) sim.Addr { return b.Machine(name).Addr() }
func (b *Bench) nameOf(a sim.Addr) string     { return b.byAddr[a] }

// At does f at a true time.
func (b *Bench) At(at time.Duration, f func()) { b.world.After(at-b.world.Now(), f) }

// When does f as the client comes to a step of its job for the first time, before the client
// goes on.
func (b *Bench) When(client string, s Step, f func()) {
	o := occasion{client, s}
	b.whens[o] = append(b.whens[o], f)
}

// comes tells the script that a client came to a step.
func (b *Bench) comes(client string, s Step) {
	o := occasion{client, s}
	all := b.whens[o]
	delete(b.whens, o)
	for _, f := range all {
		f()
	}
}

// Say puts a line about a machine into the time line.
func (b *Bench) Say(who, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	b.sees.lines = append(b.sees.lines, Line{b.Now(), who, text})
	if m := b.names[who]; m != nil {
		b.world.Tracef(m.Addr(), "says", "%s", text)
	}
}

// number is the next number of a call or of a version.
func (b *Bench) number() uint64 {
	b.numbers++
	return b.numbers
}

// ended says that a job is done; with the last one the run ends.
func (b *Bench) ended() {
	if b.left--; b.left == 0 {
		b.world.Stop()
	}
}

// Holder is the client that began last to act as a holder, of those that do; "": none does.
func (b *Bench) Holder() string {
	for _, h := range slices.Backward(b.sees.holds) {
		if !h.over {
			return h.Client
		}
	}
	return ""
}

// Clients are the clients, in order.
func (b *Bench) Clients() []string { return slices.Clone(b.clients) }

// Services are the machines of the lock service, in the order of their addresses.
func (b *Bench) Services() (all []string) {
	for _, m := range b.world.Replicas() {
		if name := b.nameOf(m.Addr()); name != Resource {
			all = append(all, name)
		}
	}
	return all
}

// passes counts a message if it is one between a client and the service.
func (b *Bench) passes(from, to string) {
	for _, name := range []string{from, to} {
		if b.clientIndex(name) >= 0 {
			b.sees.passed++
			b.sees.herd.passes(b.Now(), name)
			return
		}
	}
}

// clientIndex is the place of a client in their order.
func (b *Bench) clientIndex(name string) int { return slices.Index(b.clients, name) }
