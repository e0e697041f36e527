package tour

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/scenario"
)

const (
	ms   = time.Millisecond
	sec  = time.Second
	file = "/ls/local/file"
	row  = "g0/row"
)

// actor is a client program of a scene.
type actor struct {
	scenario.Program
	ctx context.Context
}

// addr is the machine of the program: the upper half of its name in histories.
func (a actor) addr() sim.Addr { return sim.FirstClient + sim.Addr(a.ID()>>32) }

// says has a line about what the program saw.
func (a actor) says(format string, args ...any) {
	a.World().Tracef(a.addr(), says, format, args...)
}

// at waits until the true time is t.
func (a actor) at(t time.Duration) {
	if d := t - a.World().Now(); d > 0 {
		_ = a.Sleep(a.ctx, d) // its error is that the program is over
	}
}

// within makes a call that is given up after d.
func (a actor) within(d time.Duration, call func(ctx context.Context) error) error {
	ctx, cancel := a.WithTimeout(a.ctx, d)
	defer cancel()
	return call(ctx)
}

// get reads the row.
func (a actor) get(patience time.Duration) (value string, err error) {
	err = a.within(patience, func(ctx context.Context) (err error) {
		value, err = a.Client().Get(ctx, row)
		return err
	})
	return value, err
}

// writes writes the row until time is up, every now and then.
func (a actor) writes(every, until time.Duration) {
	for n := 1; a.World().Now() < until; n++ {
		_ = a.within(2*sec, func(ctx context.Context) error { return a.Client().Put(ctx, row, "value") })
		if a.Sleep(a.ctx, every) != nil {
			return
		}
	}
}

// open opens the file, and makes it if it is not there.
func (a actor) open(o client.OpenOptions) *client.Handle {
	o.Rights, o.Create = o.Rights|client.Read|client.Write, client.CreateMay
	var h *client.Handle
	for a.ctx.Err() == nil {
		err := a.within(5*sec, func(ctx context.Context) (err error) {
			h, err = a.Client().Open(ctx, file, o)
			return err
		})
		if err == nil {
			return h
		}
		if a.Sleep(a.ctx, 200*ms) != nil {
			return nil
		}
	}
	return nil
}

// took is how long something lasted, for people.
func (a actor) took(began time.Time) time.Duration { return a.Now().Sub(began).Round(ms) }

// watchesSession says whenever the client thinks otherwise of its session, until the true time is t.
func (a actor) watchesSession(t time.Duration) {
	for was := ""; a.World().Now() < t; {
		st := a.Client().Status()
		is := st.Lease.String()
		if st.State.String() == "over" {
			is = fmt.Sprintf("over (%v)", st.Why)
		}
		if is != was {
			a.says("thinks of its session: %s", is)
			was = is
		}
		if a.Sleep(a.ctx, 50*ms) != nil {
			return
		}
	}
}

// short names the sort of an error.
func short(err error) string {
	for _, e := range []error{
		client.ErrSessionExpired, client.ErrStaleSequencer, client.ErrOutcomeUnknown, client.ErrWithdrawn, client.ErrNotFound, client.ErrLockHeld, client.ErrLockDelayed,
		context.DeadlineExceeded,
	} {
		if errors.Is(err, e) {
			return e.Error()
		}
	}
	if err == nil {
		return "done"
	}
	return err.Error()
}

// others are the replicas but for one.
func others(s scenario.Stage, but *sim.Machine) (all []*sim.Machine) {
	for _, m := range s.Replicas() {
		if m != but {
			all = append(all, m)
		}
	}
	return all
}

// apart cuts the links between a replica and the other replicas, and returns what mends them. Clients
// reach all.
func apart(s scenario.Stage, m *sim.Machine) (mend func()) {
	var rest []sim.Addr
	for _, o := range others(s, m) {
		rest = append(rest, o.Addr())
	}
	s.World().Net().Partition([]sim.Addr{m.Addr()}, rest)
	return func() { s.World().Net().Unite([]sim.Addr{m.Addr()}, rest) }
}

// deaf cuts what the other replicas say to one, and returns what mends it.
func deaf(s scenario.Stage, m *sim.Machine) (mend func()) {
	all := others(s, m)
	for _, o := range all {
		s.World().Net().Link(o.Addr(), m.Addr()).Cut()
	}
	return func() {
		for _, o := range all {
			s.World().Net().Link(o.Addr(), m.Addr()).Mend()
		}
	}
}

// ends has something done once, and at the end of the run at the latest.
func ends(s scenario.Stage, d time.Duration, undo func()) { s.Until(d, undo) }
