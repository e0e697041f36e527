package lab

import (
	"time"

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
	b.App(name, j.Start, func(a *App) {
		c := &client{a, j}
		for i := range max(j.Times, 1) {
			if i > 0 {
				c.Sleep(j.Rest)
			}
			c.turn()
		}
	})
}

// client is a client that does its job.
type client struct {
	*App
	job Job
}

// turn does the job once.
func (c *client) turn() {
	h := c.Lock()
	last, err := c.Read(h)
	if err != nil {
		c.gives(h, "was refused, and gives up")
		return
	}
	c.Sleep(c.work())
	if !c.job.Careless && !c.bench.lock.Valid(c.Node, &h.Grant) {
		c.gives(h, "finds its grant over, and gives up")
		return
	}
	c.step(Checked)
	if !c.write(last, h) {
		c.gives(h, "was refused, and gives up")
		return
	}
	c.step(Written)
	c.Sleep(c.job.Keeps)
	if c.job.Forgets {
		h.End()
	} else {
		h.Release()
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
func (c *client) write(last Value, h *Held) bool {
	for {
		if _, ok := c.request(c.writing(last.Next()), h); ok || c.bench.variant.Guard != CompareAndSwap {
			return ok
		}
		t, ok := c.request(resource.Ask{}, h)
		if !ok {
			return false
		}
		last = Value{t.Value, t}
	}
}

func (c *client) gives(h *Held, why string) {
	h.End()
	c.Note("%s", why)
}
