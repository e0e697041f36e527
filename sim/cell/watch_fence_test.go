package cell

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/check/beliefs"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
)

func fenceOf(f *facts, m plan.FenceMode) *fence {
	return &fence{cell: &Cell{world: f.w, minds: beliefs.New(f.w)}, resource: resource.New(m), holds: map[uint64]fenceClaim{}}
}

// A resource that lets a lower token through, or an update be lost, is found, where
// its kind promises that it does not.
func TestS10IsJudgedByWhatTheResourceDid(t *testing.T) {
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
			f := newFacts(t)
			x := fenceOf(f, m)
			x.resource.Log = c.log
			x.judge()
			broke := f.w.Failure() != nil
			require.Equal(t, contains(c.breaks, m), broke, "%s, %v", name, m)
			if broke {
				require.Equal(t, "S10", f.w.Failure().ID)
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

// A generation that did not grow, or went back, shows as a holder that is refused.
func TestS10NoHolderIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		mode       plan.FenceMode
		held, down bool
		token      int
		wild       bool // clocks err beyond the bound
		breaks     bool
	}{
		"it holds the lock":         {plan.FenceReads, true, false, older, false, true},
		"it knows that it has lost": {plan.FenceReads, false, false, older, false, false},
		"its machine is down":       {plan.FenceReads, true, true, older, false, false},
		"not for its token":         {plan.FenceReads, true, false, younger, false, false},
		"clocks err":                {plan.FenceReads, true, false, older, true, false},
		"by version":                {plan.FenceCompare, true, false, older, false, false},
	} {
		f := newFacts(t)
		x := fenceOf(f, c.mode)
		x.cell.minds.Off = c.wild
		x.resource.Highest = 34
		x.holds[5] = fenceClaim{holder{down: c.down}, held(c.held)}
		x.refuses(&resource.Ask{ID: 5, Sequencer: sequencerOf(c.token)})
		require.Equal(t, c.breaks, f.w.Failure() != nil, name)
	}
}

// Every seed with the workload is judged, and each kind of resource counts what it
// loses.
func TestS10InSeeds(t *testing.T) {
	for _, m := range plan.FenceModes() {
		o := plan.Options{Seed: 3, Faults: []string{"client-pause"}, Workload: plan.Fenced, Fence: plan.FenceOptions{Mode: m, Delay: -1}}
		r, again := Run(o), Run(o)
		require.Nil(t, r.Breach, "%v", m)
		require.Positive(t, r.Fence.Done, "%v", m)
		require.Equal(t, m, r.Fence.Mode)
		require.Equal(t, r.Hash, again.Hash)
		require.Equal(t, r.Fence, again.Fence)
	}
}

// sequencerOf is the sequencer of a holder.
func sequencerOf(who int) string {
	path, err := api.ParsePath(hotNode)
	if err != nil {
		panic(err)
	}
	return api.Sequencer{Node: api.Ref{Path: path, Instance: 7}, Mode: client.Exclusive, Gen: api.LockGen(33 + who)}.Encode()
}

// holder is a client that is asked nothing but whether it lives.
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
