package cell

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
)

// downpour sends calls to one replica, many in each millisecond, and ignores the answers.
type downpour struct {
	env        *sim.Env
	to         sim.Addr
	per        int // in a millisecond
	id         uint64
	busy, sent int
}

func (f *downpour) Start(env *sim.Env) {
	f.env = env
	env.WakeAt(env.Now().Add(time.Millisecond))
}

func (f *downpour) Wake(now time.Time) {
	for range f.per {
		f.id++
		f.sent++
		f.env.Send(f.to, api.AppendRequest(nil, api.Request{ID: f.id, Session: 1, Seq: api.Seq(f.id), AckedThrough: api.Seq(f.id - 1), Op: api.Get{Key: "row"}}))
	}
	f.env.WakeAt(now.Add(time.Millisecond))
}

func (f *downpour) Receive(_ time.Time, _ sim.Addr, msg []byte) {
	if p, err := api.DecodeReply(msg); err == nil && p.Code == api.Busy {
		f.busy++
	}
}

// Three clients send nine times as many calls as the master can take, for longer than any lease
// runs. No replica loses its lease, and no other client its session. The calls of other clients are
// executed, and a call that finds no room is answered.
func TestMoreCallsThanAReplicaTakesInCostNoLeaseAndNoSession(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			g := newGuests(t, seed, asShipped, func(p *plan.Plan) {
				p.Busy, p.Driver.Inbox.Burst = time.Millisecond, 2
				p.Driver.Core.Sessions.LeaseMin, p.Driver.Core.Sessions.LeaseMax = 4*time.Second, 4*time.Second
			})
			g.run(func() bool { return g.master() != nil })
			calls, lost, ctx := 0, 0, context.Background()
			for i := range 3 {
				g.come(func(rt *sim.Runtime, c *client.Client) {
					for rt.Sleep(ctx, 20*time.Millisecond) == nil {
						if err := c.Put(ctx, fmt.Sprint("row ", i), "1"); errors.Is(err, client.ErrSessionExpired) {
							lost++
							return
						} else if err == nil {
							calls++
						}
					}
				})
			}
			g.cell.load.Sessions += 3
			g.cell.world.RunFor(2 * time.Second)
			before := g.cell.watch.Epochs.Failovers
			calls = 0
			var all []*downpour
			for i := range 3 {
				f := &downpour{to: g.master().Addr(), per: 6}
				all = append(all, f)
				g.cell.world.Add(sim.MachineConfig{Addr: sim.FirstClient + sim.Addr(3+i), Process: func() sim.Process { return f }}).Start()
			}
			for range 90 {
				g.cell.world.RunFor(100 * time.Millisecond)
				require.Nil(t, g.cell.world.Failure())
				require.True(t, g.cell.hadAuthority(running(g.master()).Id), "the master has lost its lease after %v", g.cell.world.Now())
			}
			require.Zero(t, lost, "sessions that were lost")
			require.Equal(t, before, g.cell.watch.Epochs.Failovers)
			require.Greater(t, calls, 6)
			for _, f := range all {
				require.Greater(t, f.busy, f.sent/3, "of %d calls", f.sent)
			}
		})
	}
}
