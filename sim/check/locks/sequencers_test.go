package locks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// The lock of node 7 is held, shared, at generation 9, or was.
func TestS10ASequencerIsValidWhileItsLockIsHeld(t *testing.T) {
	path, err := api.ParsePath("/d0/hot")
	require.NoError(t, err)
	node := api.Ref{Path: path, Instance: 7}
	of := func(i api.Instance, m api.Mode, g api.LockGen) api.Sequencer {
		return api.Sequencer{Node: api.Ref{Path: path, Instance: i}, Mode: m, Gen: g}
	}
	for name, c := range map[string]struct {
		s        api.Sequencer
		released bool
		said     api.Code
		fenced   bool
		breaks   bool
	}{
		"valid, and it is":                      {of(7, api.Shared, 9), false, api.OK, false, false},
		"stale, and it is valid":                {of(7, api.Shared, 9), false, api.StaleSequencer, false, true},
		"stale, or its handle's is":             {of(7, api.Shared, 9), false, api.StaleSequencer, true, false},
		"valid, in another mode":                {of(7, api.Exclusive, 9), false, api.OK, false, true},
		"valid, of before":                      {of(7, api.Shared, 8), false, api.OK, false, true},
		"valid, of another node":                {of(8, api.Shared, 9), false, api.OK, false, true},
		"valid, and not held":                   {of(7, api.Shared, 9), true, api.OK, false, true},
		"stale, and not held":                   {of(7, api.Shared, 9), true, api.StaleSequencer, false, false},
		"gone, and a client that knows is told": {of(7, api.Shared, 9), false, api.Gone, false, false},
	} {
		for _, logged := range []bool{true, false} {
			f := worldtest.New(t)
			held := New(f.World, 0)
			if !c.released {
				held.Holds[model.Owner{Session: 3}] = Hold{Node: node, Mode: api.Shared, Gen: 9}
			}
			w := NewSequencers(f.World, held)
			breaks := c.breaks
			if logged {
				d := command.CheckSequencer{Node: node, Sequencer: c.s}
				if c.fenced {
					d.Fence = of(7, api.Shared, 8)
				}
				w.OnCommand(&command.Applied{Command: command.NodeCommand{Session: 4, Seq: 1, Op: d}, Verdict: command.Executed, Result: api.Result{Code: c.said}})
			} else {
				w.OnRequest(api.Request{Session: 4, Seq: 1, Op: api.CheckSequencer{Sequencer: c.s.Encode()}}, nil)
				w.OnReply(api.Reply{Session: 4, Seq: 1, Result: api.Result{Code: c.said}})
				breaks = breaks && c.said == api.OK
			}
			require.Equal(t, breaks, f.Failure() != nil, name)
			if breaks {
				f.Breaks("S10")
			}
		}
	}
}

// What a handle tied to a sequencer does, while the lock of node 7 is held, shared, at
// generation 9, and afterwards.
func TestS10WhatIsDoneByAHandleThatIsTiedToASequencer(t *testing.T) {
	path, err := api.ParsePath("/d0/hot")
	require.NoError(t, err)
	node := api.Ref{Path: path, Instance: 7}
	of := func(g api.LockGen) api.Sequencer { return api.Sequencer{Node: node, Mode: api.Shared, Gen: g} }
	for name, c := range map[string]struct {
		deed   command.NodeOp
		said   api.Code
		breaks bool
	}{
		"a write while it is valid":                {command.SetContents{Node: node, When: 5, Fence: of(9)}, api.OK, false},
		"a write when it is stale":                 {command.SetContents{Node: node, When: 5, Fence: of(8)}, api.OK, true},
		"a conflict when it is stale":              {command.SetContents{Node: node, When: 5, Fence: of(8)}, api.Conflict, true},
		"a write that is refused":                  {command.SetContents{Node: node, When: 5, Fence: of(8)}, api.StaleSequencer, false},
		"a write that is refused for nothing":      {command.SetContents{Node: node, Fence: of(9)}, api.StaleSequencer, true},
		"a write by a handle that is tied to none": {command.SetContents{Node: node}, api.OK, false},
		"a refusal, by a handle without one":       {command.Fail{Code: api.StaleSequencer}, api.StaleSequencer, false},
		"a deletion of the node and its lock":      {command.DeleteNode{Node: node, Fence: of(9)}, api.OK, false},
		"a deletion that is refused for nothing":   {command.DeleteNode{Node: node, Fence: of(9)}, api.StaleSequencer, true},
		"a deletion when it is stale":              {command.DeleteNode{Node: node, Fence: of(8)}, api.OK, true},
		"an Open below when it is stale":           {command.OpenNode{Fence: of(8)}, api.NotFound, true},
		"a stale one is shown by a valid one":      {command.CheckSequencer{Node: node, Sequencer: of(8), Fence: of(9)}, api.StaleSequencer, false},
		"a valid one is shown by a stale one":      {command.CheckSequencer{Node: node, Sequencer: of(9), Fence: of(8)}, api.OK, true},
	} {
		f := worldtest.New(t)
		held := New(f.World, 0)
		held.Holds[model.Owner{Session: 3}] = Hold{Node: node, Mode: api.Shared, Gen: 9}
		w := NewSequencers(f.World, held)
		w.OnCommand(&command.Applied{Command: command.NodeCommand{Session: 4, Seq: 1, Op: c.deed}, Verdict: command.Executed, Result: api.Result{Code: c.said}})
		require.Equal(t, c.breaks, f.Failure() != nil, name)
	}
}

// What a master answers alone about a handle tied to a sequencer, while the lock of node 7 is
// held, shared, at generation 9.
func TestS10WhatIsReadByAHandleThatIsTiedToASequencer(t *testing.T) {
	node := api.Ref{Path: worldtest.Path("/d0/hot"), Instance: 7}
	valid, stale := api.Sequencer{Node: node, Mode: api.Shared, Gen: 9}, api.Sequencer{Node: node, Mode: api.Shared, Gen: 8}
	for name, c := range map[string]struct {
		tied   []api.Sequencer
		said   api.Code
		breaks bool
		others []api.Sequencer // sequencers of other requests with the same number, before and after this one
	}{
		"by a handle that is tied to none": {nil, api.OK, false, nil},
		"while it is valid":                {[]api.Sequencer{valid}, api.OK, false, nil},
		"when it is stale":                 {[]api.Sequencer{stale}, api.OK, true, nil},
		"by one that was tied to another":  {[]api.Sequencer{stale, valid}, api.OK, false, nil},
		"when both are stale":              {[]api.Sequencer{stale, stale}, api.OK, true, nil},
		"a refusal":                        {[]api.Sequencer{stale}, api.StaleSequencer, false, nil},
		"a copy that is late":              {[]api.Sequencer{stale}, api.Stale, false, nil},
		"two calls by one number":          {nil, api.OK, false, []api.Sequencer{stale}},
		"two, and this one is tied":        {[]api.Sequencer{stale}, api.OK, true, []api.Sequencer{valid}},
	} {
		t.Run(name, func(t *testing.T) {
			f := worldtest.New(t)
			held := New(f.World, 0)
			held.Holds[model.Owner{Session: 3}] = Hold{Node: node, Mode: api.Shared, Gen: 9}
			w := NewSequencers(f.World, held)
			w.OnRequest(api.Request{ID: 1, Session: 4, Seq: 1, Op: api.GetContents{}}, c.others)
			w.OnRequest(api.Request{ID: 2, Session: 4, Seq: 1, Op: api.GetContents{}}, c.tied)
			w.OnRequest(api.Request{ID: 3, Session: 4, Seq: 1, Op: api.GetContents{}}, c.others)
			w.OnReply(api.Reply{ID: 2, Session: 4, Seq: 1, Result: api.Result{Code: c.said}})
			if c.breaks {
				f.Breaks("S10")
			} else {
				f.Good()
			}
		})
	}
}

// A master repeats a token that it has given out, even if the handle's sequencer is stale by
// then; the next master does not.
func TestS10WhatAMasterRemembersIsToldAgain(t *testing.T) {
	for epoch, breaks := range map[api.Epoch]bool{2: false, 3: true} {
		f := worldtest.New(t)
		held := New(f.World, 0)
		node := api.Ref{Path: worldtest.Path("/d0/hot"), Instance: 7}
		held.Holds[model.Owner{Session: 3}] = Hold{Node: node, Mode: api.Shared, Gen: 9}
		w := NewSequencers(f.World, held)
		p := api.Reply{Session: 4, Seq: 1, Epoch: 2, Result: api.Result{Code: api.OK, Detail: api.Opened{Token: "x"}}}
		q := api.Request{Session: 4, Seq: 1, Op: api.SetSequencer{}}
		w.OnRequest(q, []api.Sequencer{{Node: node, Mode: api.Shared, Gen: 9}})
		w.OnReply(p)
		f.Good()
		clear(held.Holds)
		w.OnRequest(q, []api.Sequencer{{Node: node, Mode: api.Shared, Gen: 9}})
		p.Epoch = epoch
		w.OnReply(p)
		if breaks {
			f.Breaks("S10")
		} else {
			f.Good()
		}
	}
}
