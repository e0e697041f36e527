package cell

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// doorman is an operator that ends a session of a cell now and then, and repeats the order until the session has ended.
type doorman struct {
	cell    *seedRun
	draw    *sim.Draw
	pending []api.SessionID
	seen    map[api.SessionID]api.Epoch // the newest in which a master had the order to end a session

	orders, ended, repeated int
}

func newDoorman(c *seedRun) *doorman {
	d := &doorman{cell: c, draw: c.world.Draw("test.doorman", 0), seen: map[api.SessionID]api.Epoch{}}
	d.next()
	return d
}

func (d *doorman) next() { sim.AfterApart(d.cell.world, d.draw.Duration(0, time.Second), d.act) }

// act sends each replica the orders to end the sessions that are to end; those that do not serve refuse. Before healing it
// chooses another session, unless two are pending.
func (d *doorman) act() {
	d.next()
	if m := d.cell.serving(); m != nil && !d.cell.promises.Healed && len(d.pending) < 2 {
		d.choose(running(m))
	}
	for _, m := range d.cell.machines.Replicas {
		for _, x := range d.pending {
			tell(m, func(r *replica, now time.Time) { d.order(r, now, x) })
		}
	}
}

func (d *doorman) choose(r *replica) {
	var alive []api.SessionID
	for x := range rows.Sessions(r.Host.Core().View()) {
		if !slices.Contains(d.pending, x) {
			alive = append(alive, x)
		}
	}
	if len(alive) > 0 {
		d.pending = append(d.pending, alive[d.draw.Int(len(alive))])
	}
}

// order has a replica end a session, as far as it is master, and takes in the answer.
func (d *doorman) order(r *replica, now time.Time, x api.SessionID) {
	o, err := r.Host.Dismiss(now, x)
	switch {
	case err == nil:
		if o.IsNew {
			d.orders++
		}
		if o.IsNew && d.seen[x] != 0 {
			d.repeated++
		}
		s, _ := r.Host.Core().Session(x)
		d.cell.sessions.OnDismissed(r.Id, x, s.Lease)
		d.cell.wanted.OnDismissed(x, o.Epoch)
		d.seen[x] = max(d.seen[x], o.Epoch)
	case errors.Is(err, core.ErrNoSession) && d.seen[x] <= o.Epoch && slices.Contains(d.pending, x):
		d.ended++
		d.pending = slices.DeleteFunc(slices.Clone(d.pending), func(p api.SessionID) bool { return p == x })
	}
}

// An operator ends sessions while replicas fail, messages are lost and clocks drift. No session ends while its client
// counts on it, no lock has two holders, no lease moves after the order; each session ends, and the cell goes on.
func TestDismissedSessionsEndWithTheirLeases(t *testing.T) {
	var orders, ended, repeated int
	for i, workload := range []string{"locks", "cached", "mixed", "fenced", "cached", "locks"} {
		t.Run(workload, func(t *testing.T) {
			d := dismiss(t, 700+uint64(i), workload)
			orders, ended, repeated = orders+d.orders, ended+d.ended, repeated+d.repeated
		})
	}
	require.Greater(t, ended, 40)
	require.Positive(t, repeated, "of %d orders", orders)
}

// dismiss runs a seed with a doorman, all checkers, and the demand that all goes on after healing.
func dismiss(t *testing.T, seed uint64, workload string) *doorman {
	p := plan.New(plan.Options{Seed: seed, Workload: workload})
	if p.Driver.Core.Sessions.LeaseMin == 0 {
		p.Driver.Core.Sessions = session.Config{LeaseMin: 4 * time.Second, LeaseMax: 12 * time.Second, KeepAliveRate: 100}
	}
	c := &seedRun{build(p, sim.Config{})}
	defer c.world.Close()
	c.start()
	d := newDoorman(c)
	healedAt := c.safety()
	require.Nil(t, c.world.Failure())
	c.liveness(healedAt)
	require.Nil(t, c.world.Failure())
	for end := c.world.Now() + plan.RecoveryBound; len(d.pending) > 0; {
		require.Less(t, c.world.Now(), end, "sessions %v do not end", d.pending)
		require.True(t, c.reached(c.world.RunFor(50*time.Millisecond)), "%v", c.world.Failure())
	}
	c.epilogue()
	require.Nil(t, c.result(0).Breach)
	t.Logf("%d orders, of which %d again at another master; %d sessions ended", d.orders, d.repeated, d.ended)
	return d
}
