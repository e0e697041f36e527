package handle_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
)

// known is one handle, as an observer knows it that forgets nothing: the epochs in which it was last open,
// poisoned and closed. Epoch 0 is never.
type known struct {
	handle.Handle
	tokens                 []api.Token // as it was opened and tied, the newest last
	open, poisoned, closed api.Epoch
}

func (k *known) token() api.Token { return k.tokens[len(k.tokens)-1] }

// verdict returns the expected verdict about a token of k, over all epochs, without limits.
func (k *known) verdict(now api.Epoch, s api.SessionID) handle.Verdict {
	switch {
	case k.Session != s:
		return handle.Foreign
	case k.closed == now:
		return handle.Closed
	case k.open == now && k.poisoned == now:
		return handle.Poisoned
	case k.open == now:
		return handle.Good
	}
	return handle.Old
}

// world is a cell with the tables of successive epochs, and every handle that there ever was.
type world struct {
	epoch  api.Epoch
	table  *handle.Table
	sealer handle.Sealer
	known  []*known
	seq    map[api.SessionID]api.Seq
	node   []api.Ref
}

func (w *world) failOver() {
	w.epoch++
	w.table = handle.New(w.epoch, w.sealer, handle.Limits{PerSession: 1000, Total: 1000, Closed: 1000})
}

func (w *world) open(t *rapid.T) {
	s := api.SessionID(rapid.IntRange(1, 3).Draw(t, "session"))
	w.seq[s]++
	o := handle.Opening{Session: s, Seq: w.seq[s], Seen: w.seq[s] - 1, Node: rapid.SampledFrom(w.node).Draw(t, "node"),
		Kind: api.File, Ephemeral: rapid.Bool().Draw(t, "ephemeral"), Rights: api.RightRead, Delay: 90_000,
		Events: rapid.SampledFrom([]api.EventMask{0, api.WantContents, api.WantChildren | api.WantContents}).Draw(t, "events")}
	token, h, v := w.table.Open(o)
	require.Equal(t, handle.Good, v)
	require.Equal(t, api.MaxLockDelay, h.Delay)
	for _, k := range w.known {
		require.NotEqual(t, k.ID, h.ID, "an id came again")
	}
	again, _, v := w.table.Open(o)
	require.Equal(t, handle.Good, v)
	require.Equal(t, token, again, "a copy of the call opened another handle")
	w.known = append(w.known, &known{Handle: h, tokens: []api.Token{token}, open: w.epoch})
}

func (w *world) act(t *rapid.T, k *known) {
	s := k.Session
	if rapid.IntRange(0, 9).Draw(t, "thief") == 0 {
		s = 1 + s%3
	}
	v := k.verdict(w.epoch, s)
	switch rapid.SampledFrom([]string{"recreate", "recreate", "older", "close", "poison", "attach"}).Draw(t, "act") {
	case "recreate":
		h, got := w.table.Recreate(s, k.token())
		if v == handle.Old {
			k.open, v = w.epoch, handle.Good
		}
		require.Equal(t, v, got)
		require.True(t, got != handle.Good || h == k.Handle)
	case "older": // the handle is as its newest token says, once the table has seen that
		_, got := w.table.Recreate(s, rapid.SampledFrom(k.tokens).Draw(t, "token"))
		if v == handle.Old {
			k.open, v = w.epoch, handle.Good
		}
		require.Equal(t, v, got)
	case "close":
		c, got := w.table.Close(s, k.token())
		if v == handle.Old || v == handle.Poisoned || v == handle.Good {
			k.closed, v = w.epoch, handle.Good
			require.Equal(t, k.Ephemeral && w.opens(k.Node) == 0, c.Last)
		}
		require.Equal(t, v, got)
	case "poison":
		require.Equal(t, v, w.table.Poison(s, k.token()))
		if v == handle.Good {
			k.poisoned = w.epoch
		}
	case "attach":
		q := api.Sequencer{Node: k.Node, Mode: api.Shared, Gen: api.LockGen(w.epoch)}
		token, got := w.table.Attach(s, k.token(), q)
		require.Equal(t, v, got)
		if v == handle.Good {
			k.tokens = append(k.tokens, token)
			h, _ := w.table.Use(s, token)
			require.Positive(t, h.Tie.Compare(k.Tie))
			k.Fence, k.Tie = q, h.Tie
		}
	}
}

func (w *world) opens(n api.Ref) (count int) {
	for _, k := range w.known {
		if k.Ephemeral && k.Node == n && k.open == w.epoch && k.closed != w.epoch {
			count++
		}
	}
	return count
}

// watchers returns the sessions of the open handles on a node that want events, one for each handle.
func (w *world) watchers(n api.Ref) (all []api.SessionID) {
	for _, k := range w.known {
		if k.Node == n && k.Events != 0 && k.verdict(w.epoch, k.Session) == handle.Good {
			all = append(all, k.Session)
		}
	}
	return all
}

// watching returns the sessions with an open handle on a node that wants events of this kind.
func (w *world) watching(n api.Ref, kind api.EventKind) (all []api.SessionID) {
	for _, k := range w.known {
		if k.Node == n && k.Events.Has(kind) && k.verdict(w.epoch, k.Session) == handle.Good && !slices.Contains(all, k.Session) {
			all = append(all, k.Session)
		}
	}
	slices.Sort(all)
	return all
}

func (w *world) check(t *rapid.T) {
	require.NoError(t, w.table.Audit())
	total, bySession := 0, map[api.SessionID][]handle.Handle{}
	for _, k := range w.known {
		v := k.verdict(w.epoch, k.Session)
		h, got := w.table.Use(k.Session, k.token())
		require.Equal(t, v, got, "%v", k)
		require.Equal(t, k.Handle, h)
		isOpen := v == handle.Good || v == handle.Poisoned
		require.Equal(t, isOpen, w.table.Has(k.Session, k.ID))
		if isOpen {
			total++
			bySession[k.Session] = append(bySession[k.Session], k.Handle)
		}
	}
	require.Equal(t, total, w.table.Len())
	for s := api.SessionID(1); s <= 3; s++ {
		slices.SortFunc(bySession[s], func(a, b handle.Handle) int { return a.ID.Compare(b.ID) })
		require.Equal(t, bySession[s], w.table.Handles(s))
	}
	for _, n := range w.node {
		require.Equal(t, w.opens(n), w.table.CountOpen(n))
		for _, k := range []api.EventKind{api.EventContents, api.EventChildren, api.EventReadAgain} {
			require.Equal(t, w.watching(n, k), w.table.Watchers(n, k))
		}
		watchers := w.watchers(n)
		require.Equal(t, len(watchers), w.table.CountWatchers(n))
		for s := api.SessionID(1); s <= 3; s++ {
			require.Equal(t, slices.Contains(watchers, s), w.table.IsWatching(s, n))
		}
	}
}

func TestTheTableIsItsTwin(t *testing.T) {
	nodes := []api.Ref{ref(t, "/f", 1), ref(t, "/f", 2)}
	s := sealer(t, secret)
	rapid.Check(t, func(t *rapid.T) {
		w := &world{sealer: s, seq: map[api.SessionID]api.Seq{}, node: nodes}
		w.failOver()
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch what := rapid.IntRange(0, 19).Draw(t, "what"); {
			case what == 0:
				w.failOver()
			case what < 6 || len(w.known) == 0:
				w.open(t)
			default:
				w.act(t, rapid.SampledFrom(w.known).Draw(t, "handle"))
			}
			w.check(t)
		}
	})
}
