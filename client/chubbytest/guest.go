package chubbytest

import (
	"context"
	"sync"
	"testing"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
)

// Principal is the principal of the clients of Client.
const Principal = "tester"

// queueLength is the greatest number of messages that wait for a client. Further messages are
// dropped, as a network would drop them.
const queueLength = 1024

// guest is a client of a cell, together with the machine that it runs on.
type guest struct {
	cell   *Cell
	addr   core.Addr
	who    api.Principal
	client *client.Client
	rt     *client.Goroutines
	cut    map[int]bool // the replicas that it cannot reach; guarded by the cell's mutex

	queue  chan packet
	quit   chan struct{}
	pump   sync.WaitGroup
	closed sync.Once
}

// packet is a message from a replica.
type packet struct {
	from int
	wire []byte
}

// Client returns a new client of the cell, on real goroutines, whose principal is Principal. It
// neither blocks nor sends. The client is closed when t, which may be a subtest, has ended; the
// program may close it earlier.
//
// The options are those of client.New. With client.WithConfig a program's own timeouts, limits and
// cache override those of this cell. The cells of client.WithCells are out of reach: calls to them
// wait until their contexts end. t fails if an option is invalid, or is for the connections that
// client.Dial makes.
//
// The end of t waits for the functions that the program has started by the client's Runtime. They
// should return when the client is closed.
func (c *Cell) Client(t testing.TB, options ...client.Option) *client.Client {
	t.Helper()
	return c.ClientAs(t, Principal, options...)
}

// ClientAs is like Client, but for another principal, which the cell accepts without proof. It is
// for tests of access control lists.
func (c *Cell) ClientAs(t testing.TB, principal string, options ...client.Option) *client.Client {
	t.Helper()
	who := api.Principal(principal)
	if who.Check() != api.OK {
		t.Fatalf("chubbytest: ClientAs: %q is not a principal: one word of at most %d bytes, not \"*\", and not beginning with #", principal, api.MaxPrincipal)
	}
	g := &guest{cell: c, who: who, cut: map[int]bool{}, queue: make(chan packet, queueLength), quit: make(chan struct{})}
	g.rt = client.NewRuntime(g.send)
	g.client = client.New(g.rt, c.clientConfig(), options...)
	if g.client.Status().State == session.Over { // it never was open
		t.Fatalf("chubbytest: Client: %v", g.client.Ready(context.Background()))
	}
	c.mu.Lock()
	c.lastOne++
	g.addr = c.lastOne
	c.guests[g.addr] = g
	c.mu.Unlock()
	g.pump.Go(g.deliver)
	t.Cleanup(g.close)
	return g.client
}

// send hands a message to a replica. Replicas of other cells are out of reach.
func (g *guest) send(to client.Replica, msg []byte) {
	if to.Cell != "" || to.ID < 1 || int(to.ID) > len(g.cell.disks) {
		return
	}
	if l := g.cell.life(int(to.ID)); l != nil && !g.cell.isCut(g, l.id) {
		l.replica.FromClient(g.addr, g.who, msg)
	}
}

// receive takes a message from a replica. It does not block.
func (g *guest) receive(from int, wire []byte) {
	select {
	case g.queue <- packet{from, wire}:
	default:
	}
}

// deliver hands the messages in the queue to the client, until quit is closed.
func (g *guest) deliver() {
	for {
		select {
		case p := <-g.queue:
			if !g.cell.isCut(g, p.from) {
				g.rt.Deliver(client.Replica{ID: uint32(p.from)}, p.wire)
			}
		case <-g.quit:
			return
		}
	}
}

// close closes the client and ends its goroutines. If the cell can answer, it waits for the end of
// the session there, for one lease at most.
func (g *guest) close() {
	g.closed.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), g.cell.options.Lease)
		if !g.canBeAnswered() {
			cancel()
		}
		if err := g.client.Close(ctx); err != nil {
			g.cell.log.Info("chubbytest: the session is left to its lease", "client", g.addr, "err", err)
		}
		cancel()
		g.rt.Close()
		close(g.quit)
		g.pump.Wait()
		g.cell.mu.Lock()
		defer g.cell.mu.Unlock()
		delete(g.cell.guests, g.addr)
	})
}

// canBeAnswered reports whether the client can reach a replica that is in a majority.
func (g *guest) canBeAnswered() bool {
	for _, id := range g.cell.ids() {
		if !g.cell.isCut(g, id) && g.cell.isInMajority(id) {
			return true
		}
	}
	return false
}
