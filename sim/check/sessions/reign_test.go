package sessions

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// chair is a master whose memory a test sets.
type chair struct {
	state    master.State
	epoch    api.Epoch
	sessions map[api.SessionID]session.Session
	lease    time.Time
	row      time.Duration
	others   int    // further sessions in the rows
	refused  uint64 // by the log
	still    bool   // it wants nothing of the log
}

func (c *chair) Master() master.Status { return master.Status{State: c.state, Epoch: c.epoch} }

func (c *chair) Session(id api.SessionID) (session.Session, bool) {
	s, ok := c.sessions[id]
	return s, ok
}

func (c *chair) Lease() time.Time       { return c.lease }
func (c *chair) Longest() time.Duration { return c.row }
func (c *chair) Count() int             { return len(c.sessions) + c.others }
func (c *chair) Refusals() uint64       { return c.refused }

func (c *chair) Wants() int {
	if c.still {
		return 0
	}
	return 1
}

func (c *chair) IsAlive(x api.SessionID) bool {
	_, ok := c.sessions[x]
	return ok
}

func (c *chair) Alive() (all []api.SessionID) {
	for id := range c.sessions { // order-free: one at most
		all = append(all, id)
	}
	return all
}

// besides is what other models know of the cell, as a test sets it.
type besides struct {
	grips   map[api.Token]*model.Grip
	delays  map[model.DelayID]time.Duration
	holders []model.Owner
	asked   map[api.SessionID]bool      // sessions that asked for a handle
	open    map[api.SessionID]api.Epoch // epoch of a session's open handle
	drops   map[api.SessionID]api.Epoch // epoch in which it was told of a drop that it has not acknowledged
}

func (b *besides) Given(t api.Token) *model.Grip                      { return b.grips[t] }
func (b *besides) DelaysAt(api.Epoch) map[model.DelayID]time.Duration { return b.delays }
func (b *besides) HoldersIn(api.Epoch) []model.Owner                  { return b.holders }
func (b *besides) MayHaveHandles(s api.SessionID) bool                { return b.asked[s] }
func (b *besides) HasOpen(s api.SessionID, e api.Epoch) bool          { return e > 0 && b.open[s] == e }
func (b *besides) OwesDrop(s api.SessionID, e api.Epoch) bool         { return e > 0 && b.drops[s] == e }
func (b *besides) OnLease(paxos.NodeID, api.SessionID, time.Time)     {}

// reign is replica 1, master of epoch 3, with session 7, which may have handles. Leases are 4
// s, and 6 s by the rows, which the master is about to set anew. Instants are seconds by its
// clock: its epoch begins at 0, and its read authority ends at 100. It may sweep 3 s after it
// began to serve.
type reign struct {
	f     worldtest.World
	w     *Checker
	c     *chair
	facts *besides
}

func newReign(t *testing.T, lease float64) *reign {
	f := worldtest.New(t)
	cfg := core.Config{
		Sessions: session.Config{LeaseMin: 4 * time.Second, LeaseMax: 6 * time.Second, KeepAliveRate: 1},
		NodeOps:  nodeops.Config{SweepAfter: 3 * time.Second, Handles: handle.DefaultLimits},
	}
	known := &besides{asked: map[api.SessionID]bool{7: true}}
	r := &reign{f: f, w: New(f.World, 3, cfg, known), facts: known, c: &chair{state: master.Recovering, epoch: 3, row: 6 * time.Second, lease: second(100)}}
	r.c.sessions = map[api.SessionID]session.Session{7: {Lease: second(lease)}}
	r.proposes(0, command.LongestLease{Guard: 3, Lease: 5 * time.Second})
	return r
}

func (r *reign) acts(at float64, applied ...command.Applied) { r.proposes(at, nil, applied...) }

func (r *reign) proposes(at float64, c command.Command, applied ...command.Applied) {
	out := &model.Outcome{Observed: model.Observed{Applied: []core.Applied{{Commands: applied}}}}
	var proposed []command.Command
	if c != nil {
		proposed = append(proposed, c)
	}
	r.w.OnActed(1, r.c, second(at), out, proposed, nil)
}

// beats sends a KeepAlive. answers answers one, after the master has set the end of the
// lease.
func (r *reign) beats(at float64, id uint64, flushed api.Epoch) {
	r.w.OnRequest(1, second(at), api.Request{ID: id, Session: 7, Epoch: 3, Op: api.KeepAlive{AckedEpoch: flushed}})
}

func (r *reign) answers(at float64, id uint64, lease, told float64) {
	s := r.c.sessions[7]
	s.Lease = second(lease)
	r.c.sessions[7] = s
	r.acts(at)
	r.w.OnReply(1, second(at), api.Reply{ID: id, Session: 7, Result: leased(time.Duration(told * float64(time.Second)))})
}

func (r *reign) set(f func(s *session.Session)) {
	s := r.c.sessions[7]
	f(&s)
	r.c.sessions[7] = s
}

// used is a master that only waits to end sessions that are idle for 5 s. It answered a call
// of session 7 at that instant.
func (r *reign) used(at float64) {
	r.w.Config.IdleAfter = 5 * time.Second
	r.set(func(s *session.Session) { s.HasAcked = true })
	r.beats(at, 1, 3)
	r.w.OnServing(1, second(at))
	r.w.OnReply(1, second(at), api.Reply{Session: 7, Seq: 1, Result: api.Result{Code: api.OK}})
}

func put(e api.Epoch, n api.Seq) command.Call {
	return command.Call{Guard: e, Session: 7, Seq: n, Op: api.Put{Key: "k", Value: "v"}}
}

// second returns an instant of the cell's clocks, in seconds.
func second(s float64) time.Time {
	return time.Unix(100, 0).Add(time.Duration(s * float64(time.Second)))
}

func leased(d time.Duration) api.Result {
	return api.Result{Code: api.OK, Detail: api.Leased{Lease: d}}
}
