package workload

import (
	"time"

	"github.com/chubbycell/chubby/sim"
)

// Waits measures for how long each client machine has no answer after healing. Its wait begins at
// healing if one of its programs has a call on rows under way at that moment, and otherwise with
// the first such call that begins later, so that pauses between calls are not counted. It ends with
// the first definite answer to any call on rows of that machine: a value, "not found" or a
// conflict, whenever that call began. A call that ends without a definite answer does not end the
// wait.
type Waits struct {
	healed  bool
	clients []*wait // by machine
}

type wait struct {
	underWay    int
	asked       bool
	answered    bool
	since, took time.Duration // when the wait began, in true time; how long it was
}

func (w *Waits) of(a sim.Addr) *wait {
	for len(w.clients) <= int(a-sim.FirstClient) {
		w.clients = append(w.clients, &wait{})
	}
	return w.clients[a-sim.FirstClient]
}

// Heals is called at healing. It begins the waits of clients that have a call under way.
func (w *Waits) Heals(now time.Duration) {
	w.healed = true
	for _, x := range w.clients {
		if x.underWay > 0 {
			x.begin(now)
		}
	}
}

// onCall is called when a call begins. ends must be called when the call is over, even by a crash
// of its machine.
func (w *Waits) onCall(a sim.Addr, now time.Duration) (ends func()) {
	x := w.of(a)
	x.underWay++
	if w.healed {
		x.begin(now)
	}
	return func() { x.underWay-- }
}

// onAnswer is called for each definite answer.
func (w *Waits) onAnswer(a sim.Addr, now time.Duration) {
	if x := w.of(a); x.asked && !x.answered {
		x.answered, x.took = true, now-x.since
	}
}

func (x *wait) begin(now time.Duration) {
	if !x.asked {
		x.asked, x.since = true, now
	}
}

// List returns the lengths of the waits that ended, in the order of machines.
func (w *Waits) List() []time.Duration {
	var all []time.Duration
	for _, x := range w.clients {
		if x.answered {
			all = append(all, x.took)
		}
	}
	return all
}
