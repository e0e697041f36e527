package cell

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/sim"
)

// clientWatch is what client programs take for true at an instant of true time,
// each by its own clock: whose session is alive (S11). Programs are asked when it
// matters; a machine that is down believes nothing.
type clientWatch struct {
	world *sim.World
	all   []believer
	ended int // sessions that masters ended
}

// believer is a client of a machine's life.
type believer interface {
	status() client.Status
	now() time.Time
	dead() bool
	self() sim.Addr
}

type runningClient struct {
	rt     *sim.Runtime
	client *client.Client
}

func (c runningClient) status() client.Status { return c.client.Status() }
func (c runningClient) now() time.Time        { return c.rt.Now() }
func (c runningClient) dead() bool            { return c.rt.Env().Dead() }
func (c runningClient) self() sim.Addr        { return c.rt.Env().Self() }

func newClientWatch(w *sim.World) *clientWatch { return &clientWatch{world: w} }

func (b *clientWatch) begins(x believer) { b.all = append(b.all, x) }

// command is told of each command as it is first applied anywhere. No session is
// ended of which its client is certain that it is alive.
func (b *clientWatch) command(a *command.Applied) {
	c, ok := a.Command.(command.Expire)
	if !ok || a.Verdict != command.Executed || a.Result.Code != api.OK {
		return
	}
	b.ended++
	b.all = slices.DeleteFunc(b.all, believer.dead)
	for _, x := range b.all {
		if left := certain(x); left > 0 && x.status().Session == c.Session {
			b.world.Break("S11", "session %d is ended, and its client on %v counts on it for %v more", c.Session, x.self(), left)
		}
	}
}

// certain says for how long a client is certain that its session is alive, by its
// own clock.
func certain(x believer) time.Duration {
	s := x.status()
	if s.State != session.Open || s.Lease != session.Valid {
		return 0
	}
	return max(s.Bound.Sub(x.now()), 0)
}
