package resource

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/plan"
)

// tale is a resource and two clients that held its lock one after the other: the old holder with
// token 33, the new holder with token 34.
type tale struct {
	r    *Resource
	read [2]Tell
	next uint64
}

// The holders of a tale, and what they do.
const (
	old, young  = 0, 1
	youngestGen = 34
)

type deed struct {
	who    int
	writes bool
}

var (
	oldReads, oldWrites     = deed{old, false}, deed{old, true}
	youngReads, youngWrites = deed{young, false}, deed{young, true}
)

func tokenOf(who int) string {
	path, err := api.ParsePath("/d0/hot")
	if err != nil {
		panic(err)
	}
	gen := api.LockGen(youngestGen - 1 + who)
	return api.Sequencer{Node: api.Ref{Path: path, Instance: 7}, Mode: client.Exclusive, Gen: gen}.Text()
}

// do makes one step: a read, or a write of one more than was read last.
func (x *tale) do(d deed) Tell {
	x.next++
	q := Ask{ID: x.next, Sequencer: tokenOf(d.who)}
	if d.writes {
		q.Write, q.Base, q.Version, q.Value = true, x.read[d.who].Version, x.next, x.read[d.who].Value+1
	}
	t := x.r.Decide(int64(x.next), int64(d.who), &q)
	if !d.writes && t.Accepted {
		x.read[d.who] = t
	}
	return t
}

func narrate(m plan.FenceMode, deeds ...deed) (*Resource, []bool) {
	x := &tale{r: New(m)}
	var accepted []bool
	for _, d := range deeds {
		accepted = append(accepted, x.do(d).Accepted)
	}
	return x.r, accepted
}

// What each kind of check does with a late write of the old holder, before and after the new
// holder's write.
func TestWhatEachCheckDoesWithALateWrite(t *testing.T) {
	before := []deed{oldReads, youngReads, oldWrites, youngWrites}
	after := []deed{oldReads, youngReads, youngWrites, oldWrites}
	yes, no := true, false
	for _, c := range []struct {
		mode          plan.FenceMode
		before, after []bool
		lost          [2]int
	}{
		{plan.FenceNothing, []bool{yes, yes, yes, yes}, []bool{yes, yes, yes, yes}, [2]int{1, 1}},
		{plan.FenceWrites, []bool{yes, yes, yes, yes}, []bool{yes, yes, yes, no}, [2]int{1, 0}},
		{plan.FenceReads, []bool{yes, yes, no, yes}, []bool{yes, yes, yes, no}, [2]int{0, 0}},
		{plan.FenceAsk, []bool{yes, yes, yes, yes}, []bool{yes, yes, yes, yes}, [2]int{1, 1}}, // each sequencer was valid when the resource asked
		{plan.FenceCompare, []bool{yes, yes, yes, no}, []bool{yes, yes, yes, no}, [2]int{0, 0}},
	} {
		for i, x := range []struct {
			deeds []deed
			want  []bool
		}{{before, c.before}, {after, c.after}} {
			r, accepted := narrate(c.mode, x.deeds...)
			require.Equal(t, x.want, accepted, "%v, tale %d", c.mode, i)
			require.Equal(t, c.lost[i], r.Count().Lost, "%v, tale %d", c.mode, i)
			lost := 0
			for _, f := range linearizability.CheckFencing(r.Log) {
				if f.Kind == linearizability.LostUpdate {
					lost++
				}
			}
			require.Equal(t, c.lost[i], lost, "%v, tale %d: the checker says the same", c.mode, i)
		}
	}
}

// The shortest history in which a resource that checks only the tokens of writes loses an update,
// and the only one of its length: the late write of the old holder comes after the new holder has
// read. If reads carry the token too, no history of any length that is tried here loses an update.
func TestTheShortestLossUnderAWriteCheck(t *testing.T) {
	all := []deed{oldReads, youngReads, oldWrites, youngWrites}
	found := map[plan.FenceMode][][]deed{}
	var each func(deeds []deed, more int)
	each = func(deeds []deed, more int) {
		for _, m := range plan.FenceModes() {
			if r, _ := narrate(m, deeds...); r.Count().Lost > 0 {
				found[m] = append(found[m], append([]deed(nil), deeds...))
			}
		}
		for _, d := range all {
			if more > 0 && wellRead(deeds, d) {
				each(append(deeds[:len(deeds):len(deeds)], d), more-1)
			}
		}
	}
	each(nil, 4)
	require.Equal(t, [][]deed{
		{oldReads, youngReads, oldWrites, youngWrites},
		{youngReads, oldReads, oldWrites, youngWrites},
	}, found[plan.FenceWrites], "which client reads first does not matter")
	require.Len(t, found[plan.FenceNothing], 4, "and without a check the writes may come in either order")

	found = map[plan.FenceMode][][]deed{}
	each(nil, 7)
	require.NotEmpty(t, found[plan.FenceWrites])
	require.Empty(t, found[plan.FenceReads])
	require.Empty(t, found[plan.FenceCompare])
}

// wellRead reports whether a client that writes has read since it last wrote. Otherwise it would
// overwrite its own write.
func wellRead(deeds []deed, d deed) bool {
	for i := len(deeds) - 1; d.writes; i-- {
		if i < 0 || deeds[i] == d {
			return false
		}
		if deeds[i] == (deed{d.who, false}) {
			return true
		}
	}
	return true
}

// A repeated write changes nothing, whatever came in between.
func TestAWriteThatComesTwice(t *testing.T) {
	for _, m := range plan.FenceModes() {
		r := New(m)
		first := Ask{ID: 1, Write: true, Version: 1, Value: 1, Sequencer: tokenOf(old)}
		second := Ask{ID: 2, Write: true, Base: 1, Version: 2, Value: 2, Sequencer: tokenOf(old)}
		require.True(t, r.Decide(1, 0, &first).Accepted)
		require.True(t, r.Decide(2, 0, &second).Accepted)
		require.True(t, r.Decide(3, 0, &first).Accepted, "it gets its answer again")
		require.Equal(t, Count{Mode: m, Done: 2}, r.Count())
	}
}
