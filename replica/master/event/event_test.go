package event_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/event"
)

func node(i int) api.Ref {
	p, err := api.ParsePath(fmt.Sprintf("/%d", i))
	if err != nil {
		panic(err)
	}
	return api.Ref{Path: p, Instance: 1}
}

func contents(n int, cause api.Number) api.Event {
	return api.Event{Kind: api.EventContents, Node: node(n), Cause: cause}
}

func child(n int, name string, cause api.Number) api.Event {
	return api.Event{Kind: api.EventChildren, Node: node(n), Cause: cause, Child: name, Change: api.ChildAdded}
}

func dropLocks(n int, cause api.Number) api.Event {
	return api.Event{Kind: api.EventDropLocks, Node: node(n), Cause: cause, Drop: 1}
}

func readAgain(n int, cause api.Number) api.Event {
	return api.Event{Kind: api.EventReadAgain, Node: node(n), Cause: cause}
}

func invalid(n int, cause api.Number) api.Event {
	return api.Event{Kind: api.EventInvalid, Node: node(n), Cause: cause}
}

// Which waiting events are replaced. The queue may hold two events of a node, and four in all.
func TestWhatWaitsIsReplaced(t *testing.T) {
	for name, c := range map[string]struct{ add, want []api.Event }{
		"nothing of few": {
			[]api.Event{contents(1, 1), contents(2, 2)}, []api.Event{contents(1, 1), contents(2, 2)}},
		"the same at the end": {
			[]api.Event{contents(1, 1), contents(1, 2)}, []api.Event{contents(1, 2)}},
		"not the same elsewhere": {
			[]api.Event{contents(1, 1), contents(2, 2), contents(1, 3)}, []api.Event{contents(1, 1), contents(2, 2), contents(1, 3)}},
		"many of one node": {
			[]api.Event{child(1, "a", 1), contents(2, 2), child(1, "b", 3), child(1, "c", 4)}, []api.Event{contents(2, 2), readAgain(1, 4)}},
		"and more of it": {
			[]api.Event{child(1, "a", 1), child(1, "b", 2), child(1, "c", 3), contents(2, 4), child(1, "d", 5)},
			[]api.Event{contents(2, 4), readAgain(1, 5)}},
		"many of all": {
			[]api.Event{child(1, "a", 1), child(2, "a", 2), child(3, "a", 3), child(1, "b", 4), child(2, "b", 5)},
			[]api.Event{readAgain(1, 5), readAgain(2, 5), readAgain(3, 5)}},
		"by what tells as much": {
			[]api.Event{child(1, "a", 1), contents(2, 2), readAgain(1, 3), child(1, "b", 4)}, []api.Event{contents(2, 2), readAgain(1, 4)}},
		"never the last word": {
			[]api.Event{child(1, "a", 1), child(1, "b", 2), invalid(1, 3), child(1, "c", 4)},
			[]api.Event{invalid(1, 3), readAgain(1, 4)}},
		"nor what a deletion waits for": {
			[]api.Event{dropLocks(1, 1), child(1, "a", 2), child(1, "b", 3), child(1, "c", 4)},
			[]api.Event{dropLocks(1, 1), readAgain(1, 4)}},
	} {
		t.Run(name, func(t *testing.T) {
			qs := event.New(event.Limits{PerNode: 2, PerSession: 4, PerAnswer: 9})
			for _, e := range c.add {
				qs.Add(7, e)
				require.NoError(t, qs.Audit())
			}
			got, last, _ := qs.Take(7)
			require.Equal(t, c.want, got)
			require.EqualValues(t, len(c.want), last)
		})
	}
}

// Events that were in an answer are repeated unchanged until they are acknowledged.
func TestForgetDropsWhatWasNotSentOfANode(t *testing.T) {
	qs := event.New(event.DefaultLimits)
	qs.Forget(7, node(1)) // of a session without events
	qs.Add(7, contents(1, 1))
	qs.Take(7)
	for _, e := range []api.Event{child(1, "a", 2), dropLocks(1, 3), contents(2, 4), invalid(1, 5)} {
		qs.Add(7, e)
	}
	qs.Forget(7, node(1))
	require.NoError(t, qs.Audit())
	got, last, _ := qs.Take(7)
	require.Equal(t, []api.Event{contents(1, 1), dropLocks(1, 3), contents(2, 4)}, got)
	require.Equal(t, api.EventNumber(3), last)
	require.Equal(t, api.DropNumber(1), qs.Ack(7, last))
}

func TestWhatWasSentIsRepeatedUntilItIsAcknowledged(t *testing.T) {
	qs := event.New(event.Limits{PerNode: 9, PerSession: 9, PerAnswer: 2})
	for i := range 3 {
		qs.Add(7, contents(i, api.Number(i+1)))
	}
	first, last, _ := qs.Take(7)
	require.Equal(t, []api.Event{contents(0, 1), contents(1, 2)}, first)
	require.EqualValues(t, 2, last)
	qs.Ack(7, 3)
	again, _, _ := qs.Take(7)
	require.Equal(t, first, again, "the third was never sent, so no client has it")
	qs.Add(7, contents(1, 4))
	qs.Ack(7, 1)
	second, last, _ := qs.Take(7)
	require.Equal(t, []api.Event{contents(1, 2), contents(2, 3)}, second, "a change after an event that was sent is another event")
	require.EqualValues(t, 3, last)
	qs.Ack(7, 3)
	qs.Ack(7, 1)
	third, last, _ := qs.Take(7)
	require.Equal(t, []api.Event{contents(1, 4)}, third)
	require.EqualValues(t, 4, last)
	require.True(t, qs.Has(7))
	qs.Ack(7, 4)
	require.False(t, qs.Has(7))
	require.Equal(t, event.Counters{Added: 4, Acked: 4}, qs.Counters())
	qs.EndSession(7)
	_, last, _ = qs.Take(7)
	require.Zero(t, last)
}

// A client that acknowledges nothing is never told of a drop for which no answer has room. A client whose
// answer was full for the first time is.
func TestADropBehindWhatWasNotAcknowledgedIsNamed(t *testing.T) {
	qs := event.New(event.Limits{PerNode: 9, PerSession: 9, PerAnswer: 2})
	for i := range 2 {
		qs.Add(7, contents(i, api.Number(i+1)))
	}
	first, second := dropLocks(1, 4), dropLocks(2, 5)
	first.Drop, second.Drop = 4, 5
	qs.Add(7, first)
	qs.Add(7, second)
	_, _, behind := qs.Take(7)
	require.Zero(t, behind, "the client may acknowledge these two, and be told")
	_, _, behind = qs.Take(7)
	require.EqualValues(t, 4, behind)
	qs.Ack(7, 1)
	all, _, behind := qs.Take(7)
	require.Equal(t, []api.Event{contents(1, 2), first}, all)
	require.EqualValues(t, 5, behind)
	qs.Ack(7, 3)
	_, _, behind = qs.Take(7)
	require.Zero(t, behind)
}

func TestAnAnswerHasBoundedBytes(t *testing.T) {
	qs := event.New(event.DefaultLimits)
	long, err := api.ParsePath("/x")
	require.NoError(t, err)
	for range 3 {
		long, err = long.Child(fmt.Sprintf("%0255d", 1))
		require.NoError(t, err)
	}
	for i := range 200 {
		qs.Add(7, api.Event{Kind: api.EventContents, Node: api.Ref{Path: long, Instance: api.Instance(i + 1)}, Cause: 1})
	}
	taken := 0
	for qs.Has(7) {
		got, last, _ := qs.Take(7)
		size := 0
		for _, e := range got {
			size += e.Size()
		}
		require.LessOrEqual(t, size, api.MaxEventBytes)
		taken += len(got)
		qs.Ack(7, last)
	}
	require.Equal(t, 200, taken)
}

// A client that takes each number once misses nothing unawares, whatever is lost, repeated or late: each
// event reaches it, or an EventReadAgain of its node with a cause that is not lower.
func TestNothingIsLostInSilence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := event.Limits{
			PerNode: rapid.IntRange(1, 4).Draw(t, "per node"), PerSession: rapid.IntRange(1, 8).Draw(t, "per session"),
			PerAnswer: rapid.IntRange(1, 5).Draw(t, "per answer"),
		}
		qs := event.New(l)
		var added, got []api.Event
		var have api.EventNumber
		answer := func(arrives bool) {
			events, last, _ := qs.Take(7)
			require.LessOrEqual(t, len(events), l.PerAnswer)
			for i, e := range events {
				if number := last - api.EventNumber(len(events)-1-i); arrives && number > have {
					require.Equal(t, have+1, number, "a number is missing")
					have = number
					got = append(got, e)
				}
			}
		}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1, 2:
				n := rapid.IntRange(1, 4).Draw(t, "node")
				e := rapid.SampledFrom([]api.Event{contents(n, 0), child(n, "a", 0), child(n, "b", 0), invalid(n, 0), readAgain(n, 0)}).Draw(t, "event")
				e.Cause = api.Number(i + 1)
				qs.Add(7, e)
				added = append(added, e)
			case 3:
				answer(rapid.Bool().Draw(t, "arrives"))
			case 4:
				qs.Ack(7, have)
			case 5:
				qs.Ack(7, api.EventNumber(rapid.IntRange(0, int(have)).Draw(t, "a late one")))
			}
			require.NoError(t, qs.Audit())
			require.LessOrEqual(t, qs.Len(), len(added))
		}
		for range len(added) + 1 {
			answer(true)
			qs.Ack(7, have)
		}
		require.False(t, qs.Has(7))
		for i, e := range got {
			require.True(t, i == 0 || got[i-1].Cause <= e.Cause, "%v came in front of %v", got[max(0, i-1)], e)
		}
		for _, e := range added {
			require.Condition(t, func() bool { return isTold(got, e) }, "%v of %d is not among %v", e, e.Cause, got)
		}
	})
}

func isTold(got []api.Event, e api.Event) bool {
	for _, g := range got {
		same := g
		same.Cause = e.Cause
		if g.Cause >= e.Cause && g.Node == e.Node && (same == e || g.Kind == api.EventReadAgain && e.Kind != api.EventInvalid) {
			return true
		}
	}
	return false
}
