package replica

import (
	"runtime"
	"sync"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
)

// input is one message that waits for the loop.
type input struct {
	fromPeer bool
	peer     paxos.NodeID // the sender, if fromPeer
	client   core.Addr    // the sender, if not
	who      api.Principal
	wire     []byte
}

// inbox holds messages that the goroutines of the transport have put in and the loop has not taken.
type inbox struct {
	wake chan struct{} // has an element when there may be something to take

	mu   sync.Mutex
	wait *driver.Inbox[input]
}

func newInbox(c driver.InboxConfig) *inbox {
	return &inbox{wake: make(chan struct{}, 1), wait: driver.NewInbox[input](c)}
}

// add puts a message behind the others of its kind, and reports whether there was room.
func (b *inbox) add(in input) (ok bool) {
	b.mu.Lock()
	if in.fromPeer {
		ok = b.wait.AddPeer(in)
	} else {
		ok = b.wait.AddClient(in.client, in.who, in.wire, in)
	}
	b.mu.Unlock()
	b.signal()
	return ok
}

func (b *inbox) queues() driver.Queues {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wait.Queues()
}

func (b *inbox) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *inbox) next() (in input, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wait.Next()
}

// acts is driver.Inbox.Acts. If it returns true while messages still wait, it has signalled wake.
func (b *inbox) acts() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.wait.Acts() {
		return false
	}
	if b.wait.Len() > 0 {
		b.signal()
	}
	return true
}

// takeIn hands the driver messages that have come, until the driver's output must be carried out.
func (r *Replica) takeIn(h *driver.Driver) {
	for n := 1; ; n++ {
		in, ok := r.inbox.next()
		switch {
		case !ok:
			return
		case in.fromPeer:
			h.PeerMessage(r.cfg.Now(), in.peer, string(in.wire))
		default:
			h.ClientMessage(r.cfg.Now(), in.client, in.who, in.wire)
			if n == 1 {
				runtime.Gosched() // let the goroutines of the transport add what they have
			}
		}
		if r.inbox.acts() {
			return
		}
	}
}

// FromPeer hands over bytes that another replica sent, and reports whether there was room. The
// Replica owns wire from then on. FromPeer never blocks.
func (r *Replica) FromPeer(from paxos.NodeID, wire []byte) bool {
	return r.inbox.add(input{fromPeer: true, peer: from, wire: wire})
}

// FromClient hands over bytes that a client sent, and reports whether there was room. who is the
// principal that the transport has authenticated. The Replica owns wire from then on. If there is
// no room, the Replica tells the client, through Transport.ToClient, to send again later.
// FromClient never blocks.
func (r *Replica) FromClient(from core.Addr, who api.Principal, wire []byte) bool {
	if r.inbox.add(input{client: from, who: who, wire: wire}) {
		return true
	}
	r.refused.Add(1)
	if answer, ok := driver.Refusal(wire); ok {
		r.cfg.Transport.ToClient(from, answer)
	}
	return false
}

func (b *inbox) len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.wait.Len()
}
