package lab

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/resource"
)

// Job is what a client does: so many times, it acquires the lock, reads the counter at the
// resource, works, writes the counter one higher, and releases.
type Job struct {
	Start  time.Duration // true time at which the client begins
	Work   time.Duration // between reading and writing, on the client's clock
	Spread time.Duration // and up to so much longer, drawn each time
	Times  int           // 0: once
	Rest   time.Duration // before the next time
	// Careless clients do not ask their library before they write whether the grant is still
	// valid. Most programs are careless; care does not help where a break says so.
	Careless bool
	// Keeps is for how long a client holds on to the lock when its work is done, before it
	// releases.
	Keeps time.Duration
	// Forgets leaves out the release: a client that has crashed, or a lock across which a
	// program returned early.
	Forgets bool
}

// Step is a place in a job at which a script may do something (Bench.When).
type Step uint8

// The steps, in their order.
const (
	Granted Step = iota + 1 // Acquire has returned
	Read                    // the counter is read
	Checked                 // the work is done, the grant was found valid, the write is not sent; of the resource: the service said yes (CheckThenAct)
	Sent                    // the write is sent
	Written                 // the write is answered
)

// breath is the time between two steps, in which a pause or the like can fall.
const breath = 10 * time.Microsecond

// Client puts a client machine with a job into the world.
func (b *Bench) Client(name string, j Job) {
	b.clients = append(b.clients, name)
	b.left++
	addr := sim.FirstClient + sim.Addr(len(b.clients)-1)
	b.add(name, sim.MachineConfig{Addr: addr}, func(n *Node) {
		if n.rt.Env().Life() > 1 {
			return // what it did in its first life is lost
		}
		c := &client{Node: n, job: j}
		if d := j.Start - b.Now(); d > 0 {
			n.Sleep(d)
		}
		for i := range max(j.Times, 1) {
			if i > 0 {
				n.Sleep(j.Rest)
			}
			c.turn()
		}
		b.ended()
	})
}

// client is a client that does its job.
type client struct {
	*Node
	job Job
}

// turn does the job once.
func (c *client) turn() {
	b := c.bench
	wait := b.sees.waits.begin(c.name, b.Now())
	g := b.lock.Acquire(c.Node)
	wait.end(b.Now())
	h := b.sees.holds.begin(c.name, g.Token, b.Now())
	b.sees.herd.granted(b.Now())
	c.Note("holds the lock%s", tokenText(g.Token))
	c.step(Granted)
	last, ok := c.request(resource.Ask{}, &g, h)
	if !ok {
		c.gives(h, "was refused, and gives up")
		return
	}
	c.step(Read)
	c.Sleep(c.work())
	if !c.job.Careless && !b.lock.Valid(c.Node, &g) {
		c.gives(h, "finds its grant over, and gives up")
		return
	}
	c.step(Checked)
	if !c.write(last, &g, h) {
		c.gives(h, "was refused, and gives up")
		return
	}
	c.step(Written)
	c.Sleep(c.job.Keeps)
	h.end(b.Now())
	if !c.job.Forgets {
		b.sees.herd.released(b.Now(), b.sees.waits)
		b.lock.Release(c.Node, &g)
	}
}

// work is how long the client works this time.
func (c *client) work() time.Duration {
	if c.job.Spread == 0 {
		return c.job.Work
	}
	return c.job.Work + c.Draw("work").Duration(0, c.job.Spread)
}

// write writes the counter one higher than it was read. Where the resource compares versions, a
// client that is refused reads and writes anew.
func (c *client) write(last resource.Tell, g *Grant, h *Hold) bool {
	for {
		q := resource.Ask{Write: true, Base: last.Version, Version: c.bench.number(), Value: last.Value + 1}
		if _, ok := c.request(q, g, h); ok || c.bench.variant.Guard != CompareAndSwap {
			return ok
		}
		var ok bool
		if last, ok = c.request(resource.Ask{}, g, h); !ok {
			return false
		}
	}
}

// step is a moment of a client at which a script may strike. A pause that begins in it is
// over when it returns.
func (c *client) step(s Step) {
	c.bench.comes(c.name, s)
	c.Sleep(breath)
}

func (c *client) gives(h *Hold, why string) {
	h.end(c.bench.Now())
	c.Note("%s", why)
}

// repeat is when a client asks the resource again. A request that comes twice is decided once.
const repeat = 5 * time.Second

// request asks the resource and waits for its answer, for ever.
func (c *client) request(q resource.Ask, g *Grant, h *Hold) (resource.Tell, bool) {
	q.ID = c.bench.number()
	q.Sequencer = sequencer(g.Token)
	c.bench.store.expect(q.ID, *g, h)
	w := &waiting{done: c.rt.NewSignal()}
	c.tells[q.ID] = w
	defer delete(c.tells, q.ID)
	for {
		c.rt.Send(uint32(c.bench.address(Resource)), q.Encode())
		if q.Write {
			c.bench.comes(c.name, Sent)
		}
		if c.wait(w, repeat) {
			return w.tell, w.tell.Accepted
		}
	}
}
