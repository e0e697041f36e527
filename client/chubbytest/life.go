package chubbytest

import (
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/internal/boottime"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/core"
)

// life is one life of a replica, from its start to its end.
type life struct {
	cell    *Cell
	id      int
	replica *replica.Replica
	gate    gate        // shut while the replica is paused
	dead    atomic.Bool // it sends nothing any longer
}

var _ replica.Transport = (*life)(nil)

// now is the replica's clock. In a paused replica it blocks.
func (l *life) now() time.Time {
	l.gate.pass()
	return boottime.Now()
}

// ToPeer implements replica.Transport: it delivers the message to the other replica at once.
func (l *life) ToPeer(to paxos.NodeID, wire []byte) {
	l.gate.pass()
	if other := l.cell.peer(l, int(to)); other != nil {
		other.replica.FromPeer(paxos.NodeID(l.id), wire)
	}
}

// ToClient implements replica.Transport: it puts the message into the client's queue at once.
func (l *life) ToClient(to core.Addr, wire []byte) {
	l.gate.pass()
	if l.dead.Load() {
		return
	}
	if g := l.cell.guest(to); g != nil {
		g.receive(l.id, wire)
	}
}

// start begins a life of a replica that is not running.
func (c *Cell) start(id int) error {
	l := &life{cell: c, id: id}
	r, err := replica.Start(replica.Config{
		Driver: c.driverConfig(id), FS: mounted{c.disks[id-1], &l.gate}, Dir: "data",
		Transport: l, Now: l.now, Logger: c.log,
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	l.replica = r
	c.lives[id-1] = l
	c.mu.Unlock()
	c.watches.Go(l.watch)
	return nil
}

// watch waits for the end of a life, and fails the test if the replica ended by itself.
func (l *life) watch() {
	err := l.replica.Wait()
	if err == nil || l.dead.Load() {
		return
	}
	c := l.cell
	c.mu.Lock()
	if c.lives[l.id-1] == l {
		c.lives[l.id-1] = nil
	}
	c.mu.Unlock()
	c.t.Errorf("chubbytest: replica %d stopped by itself: %v", l.id, err)
}

// end ends the life of a replica, and waits for its goroutines. It reports whether the replica was
// running.
func (c *Cell) end(id int, crash bool) bool {
	c.mu.Lock()
	l := c.lives[id-1]
	c.lives[id-1] = nil
	c.mu.Unlock()
	if l == nil {
		return false
	}
	if crash {
		l.dead.Store(true)
		c.disks[id-1].crash()
	}
	l.gate.open()
	if err := l.replica.Stop(); err != nil {
		c.log.Info("chubbytest: the replica had ended", "replica", id, "err", err)
	}
	return true
}

// life returns the present life of a replica; nil: it is not running.
func (c *Cell) life(id int) *life {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lives[id-1]
}

// running returns the present life of a replica, and fails the test if it is not running.
func (c *Cell) running(call string, id int) *life {
	c.t.Helper()
	c.checkIDs(call, id)
	l := c.life(id)
	if l == nil {
		c.t.Fatalf("chubbytest: %s: replica %d does not run; Restart it first", call, id)
	}
	return l
}

// Kill cuts the power of a replica: it sends nothing from then on, and its disk loses data that was
// not synced. Kill returns when the replica's goroutines have ended. It fails the test if the
// replica is not running.
func (c *Cell) Kill(id int) {
	c.t.Helper()
	c.running("Kill", id)
	c.log.Info("chubbytest: kill", "replica", id)
	c.end(id, true)
}

// Restart starts a replica that was killed, with the data on its disk. It does not wait until the
// replica has caught up with the others. It fails the test if the replica is running.
func (c *Cell) Restart(id int) {
	c.t.Helper()
	c.checkIDs("Restart", id)
	if c.life(id) != nil {
		c.t.Fatalf("chubbytest: Restart: replica %d runs; Kill it first", id)
	}
	c.log.Info("chubbytest: restart", "replica", id)
	if err := c.start(id); err != nil {
		c.t.Fatalf("chubbytest: Restart: %v", err)
	}
}

// Pause stops a replica where it is, as the operating system stops a process: it does nothing until
// Resume. Up to 4096 messages to it wait. Pause fails the test if the replica is paused or is not
// running.
func (c *Cell) Pause(id int) {
	c.t.Helper()
	if !c.running("Pause", id).gate.shut() {
		c.t.Fatalf("chubbytest: Pause: replica %d is paused; Resume it first", id)
	}
	c.log.Info("chubbytest: pause", "replica", id)
}

// Resume lets a paused replica continue. Its clock has advanced meanwhile. It fails the test if the
// replica is not paused.
func (c *Cell) Resume(id int) {
	c.t.Helper()
	if !c.running("Resume", id).gate.open() {
		c.t.Fatalf("chubbytest: Resume: replica %d is not paused", id)
	}
	c.log.Info("chubbytest: resume", "replica", id)
}
