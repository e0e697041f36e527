package beliefs

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
	"github.com/chubbycell/chubby/sim/worldtest"
)

func fenceOf(w worldtest.World, m plan.FenceMode) *Fencing {
	return NewFencing(w.World, New(w.World), resource.New(m))
}

// A resource that accepts a lower token, or loses an update, is reported if its kind promises
// otherwise.
func TestS10IsJudgedByTheResourcesLog(t *testing.T) {
	read := func(token uint64) linearizability.Access {
		return linearizability.Access{Token: token, Accepted: true}
	}
	write := func(token, version, base uint64) linearizability.Access {
		return linearizability.Access{Token: token, Accepted: true, Write: true, Version: version, Base: base}
	}
	refused := write(1, 9, 0)
	refused.Accepted = false
	type log = []linearizability.Access
	for name, c := range map[string]struct {
		log    log
		breaks []plan.FenceMode
	}{
		"one after the other":                     {log{read(1), write(1, 1, 0), read(2), refused, write(2, 2, 1)}, nil},
		"a read below a read":                     {log{read(2), read(1)}, []plan.FenceMode{plan.FenceReads}},
		"a read below a write":                    {log{write(2, 1, 0), read(1)}, []plan.FenceMode{plan.FenceReads}},
		"a write below a read":                    {log{read(2), write(1, 1, 0)}, []plan.FenceMode{plan.FenceReads}},
		"a write below a write":                   {log{write(2, 1, 0), write(1, 2, 1)}, []plan.FenceMode{plan.FenceReads, plan.FenceWrites, plan.FenceCompare}},
		"two with one token, an update lost":      {log{read(1), read(1), write(1, 1, 0), write(1, 2, 0)}, []plan.FenceMode{plan.FenceReads, plan.FenceCompare}},
		"made from a version that was never made": {log{write(1, 1, 5)}, plan.FenceModes()},
	} {
		for _, m := range plan.FenceModes() {
			f := worldtest.New(t)
			x := fenceOf(f, m)
			x.resource.Log = c.log
			x.Judge()
			broke := f.Failure() != nil
			require.Equal(t, contains(c.breaks, m), broke, "%s, %v", name, m)
			if broke {
				require.Equal(t, "S10", f.Failure().ID)
			}
		}
	}
}

func contains(all []plan.FenceMode, m plan.FenceMode) bool {
	for _, x := range all {
		if x == m {
			return true
		}
	}
	return false
}

// A lock generation that did not grow, or that went back, shows as a holder that is refused.
func TestS10NoHolderIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		mode       plan.FenceMode
		held, down bool
		token      int
		wild       bool // clocks err beyond the bound
		breaks     bool
	}{
		"it holds the lock":         {plan.FenceReads, true, false, before, false, true},
		"it knows that it has lost": {plan.FenceReads, false, false, before, false, false},
		"its machine is down":       {plan.FenceReads, true, true, before, false, false},
		"not for its token":         {plan.FenceReads, true, false, after, false, false},
		"clocks err":                {plan.FenceReads, true, false, before, true, false},
		"by version":                {plan.FenceCompare, true, false, before, false, false},
	} {
		f := worldtest.New(t)
		x := fenceOf(f, c.mode)
		x.beliefs.Off = c.wild
		x.resource.Highest = 34
		x.OnRequest(5, holder{down: c.down}, held(c.held))
		x.OnRefused(&resource.Ask{ID: 5, Sequencer: sequencerOf(c.token)})
		require.Equal(t, c.breaks, f.Failure() != nil, name)
	}
}

// The former and the present holder of the lock.
const before, after = 0, 1

// sequencerOf returns the sequencer of a holder.
func sequencerOf(who int) string {
	path, err := api.ParsePath("/d0/hot")
	if err != nil {
		panic(err)
	}
	return api.Sequencer{Node: api.Ref{Path: path, Instance: 7}, Mode: client.Exclusive, Gen: api.LockGen(33 + who)}.Text()
}

// holder is a client that a test asks only whether it is alive.
type holder struct {
	model.Believer
	down bool
}

func (h holder) Dead() bool     { return h.down }
func (h holder) Self() sim.Addr { return sim.FirstClient }

// held is a lock that is held or not.
type held bool

func (l held) Held() bool               { return bool(l) }
func (l held) Context() context.Context { return context.Background() }
func (l held) Err() error               { return nil }
