package handle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
)

func opening(t testing.TB, s api.SessionID, seq, seen api.Seq) handle.Opening {
	return handle.Opening{Session: s, Seq: seq, Seen: seen, Node: ref(t, "/f", 1), Kind: api.File, Rights: api.RightWrite}
}

// CHU §2.9: a handle outlives its master, is closed, and a delayed duplicate arrives.
func TestAClosedHandleIsNotRecreatedByADelayedCopy(t *testing.T) {
	s := sealer(t, secret)
	first := handle.New(5, s, handle.DefaultLimits)
	token, opened, v := first.Open(opening(t, 1, 1, 0))
	require.Equal(t, handle.Good, v)

	second := handle.New(6, s, handle.DefaultLimits)
	h, v := second.Use(1, token)
	require.Equal(t, handle.Old, v, "a predecessor gave it out")
	require.Equal(t, opened, h)
	h, v = second.Recreate(1, token)
	require.Equal(t, handle.Good, v)
	require.Equal(t, opened, h, "recreated with other rights, or another instance")
	_, v = second.Close(1, token)
	require.Equal(t, handle.Good, v)
	_, v = second.Recreate(1, token) // the copy
	require.Equal(t, handle.Closed, v)
	require.Zero(t, second.Len())

	// The first master is deposed, and learns it from a token.
	later, _, _ := second.Open(opening(t, 1, 2, 0))
	_, v = first.Use(1, later)
	require.Equal(t, handle.Future, v)
}

// A sequencer stays with its handle through a change of masters, and an older token of the handle does not
// get around it.
func TestTheSequencerOfAHandleOutlivesTheMaster(t *testing.T) {
	s := sealer(t, secret)
	table := handle.New(5, s, handle.DefaultLimits)
	bare, h, _ := table.Open(opening(t, 1, 1, 0))
	q := api.Sequencer{Node: h.Node, Mode: api.Exclusive, Gen: 8}
	fenced, v := table.Attach(1, bare, q)
	require.Equal(t, handle.Good, v)
	for _, token := range []api.Token{bare, fenced} {
		h, v := table.Use(1, token)
		require.Equal(t, handle.Good, v)
		require.Equal(t, q, h.Fence)
	}
	again, _, _ := table.Open(opening(t, 1, 1, 0))
	require.Equal(t, fenced, again)

	h, v = handle.New(6, s, handle.DefaultLimits).Recreate(1, fenced)
	require.Equal(t, handle.Good, v)
	require.Equal(t, q, h.Fence)
}

// The first token that a new master sees may be older than the tie. The tie holds as soon as a token has
// it, but does not replace a tie that this master made.
func TestAnOlderTokenThatComesFirstUntiesNothing(t *testing.T) {
	s := sealer(t, secret)
	old := handle.New(5, s, handle.DefaultLimits)
	bare, h, _ := old.Open(opening(t, 1, 1, 0))
	q := api.Sequencer{Node: h.Node, Mode: api.Exclusive, Gen: 8}
	fenced, _ := old.Attach(1, bare, q)
	for name, use := range map[string]func(*handle.Table){
		"used":      func(n *handle.Table) { n.Use(1, fenced) },
		"presented": func(n *handle.Table) { n.Recreate(1, fenced) },
		"poisoned":  func(n *handle.Table) { n.Poison(1, fenced) },
	} {
		n := handle.New(6, s, handle.DefaultLimits)
		n.Recreate(1, bare)
		use(n)
		h, _ := n.Use(1, bare)
		require.Equal(t, q, h.Fence, name)
		require.NoError(t, n.Audit())
	}
	n := handle.New(6, s, handle.DefaultLimits)
	n.Recreate(1, bare)
	r := q
	r.Gen++
	tied, v := n.Attach(1, bare, r)
	require.Equal(t, handle.Good, v)
	for _, token := range []api.Token{fenced, tied, bare} {
		h, _ := n.Use(1, token)
		require.Equal(t, r, h.Fence)
	}
}

// Of two ties that earlier masters made, the later one holds, whichever token comes first.
func TestOfTwoTiesTheLaterOneHolds(t *testing.T) {
	s := sealer(t, secret)
	q := api.Sequencer{Node: ref(t, "/f", 1), Mode: api.Exclusive, Gen: 8}
	r := api.Sequencer{Node: ref(t, "/a", 2), Mode: api.Shared, Gen: 7}
	old := handle.New(5, s, handle.DefaultLimits)
	bare, _, _ := old.Open(opening(t, 1, 1, 0))
	first, _ := old.Attach(1, bare, q)
	second, _ := old.Attach(1, bare, r)
	between := handle.New(6, s, handle.DefaultLimits) // ties the handle once, so that its count is that of an earlier tie
	between.Recreate(1, first)
	third, v := between.Attach(1, first, q)
	require.Equal(t, handle.Good, v)

	h, _ := s.Unseal(first)
	h.Tie = handle.Tie{}
	legacy := s.Seal(h) // as a program before version 2 made it

	for _, c := range []struct {
		tokens []api.Token // in the order in which the next master sees them
		want   api.Sequencer
	}{
		{[]api.Token{bare, first}, q},
		{[]api.Token{first, bare}, q},
		{[]api.Token{first, second}, r},
		{[]api.Token{second, first}, r},
		{[]api.Token{second, third}, q},
		{[]api.Token{third, second}, q},
		{[]api.Token{third, first, second, bare}, q},
		{[]api.Token{bare, legacy}, q},
		{[]api.Token{legacy, second}, r},
		{[]api.Token{second, legacy}, r},
	} {
		n := handle.New(7, s, handle.DefaultLimits)
		var h handle.Handle
		for _, token := range c.tokens {
			n.Recreate(1, token)
			h, v = n.Use(1, token)
			require.Equal(t, handle.Good, v)
		}
		require.Equal(t, c.want, h.Fence)
		require.NoError(t, n.Audit())
	}
	_, v = old.Use(1, third)
	require.Equal(t, handle.Future, v, "a later master tied it")
}

// Keep needs room within the limit of the session only, and its handles take room from others.
func TestWhatIsKeptNeedsRoomOfItsSessionAlone(t *testing.T) {
	s := sealer(t, secret)
	old := handle.New(1, s, handle.Limits{PerSession: 9, Total: 9, Closed: 9})
	table := handle.New(2, s, handle.Limits{PerSession: 2, Total: 2, Closed: 9})
	var tokens [4]api.Token
	for i := range tokens {
		tokens[i], _, _ = old.Open(opening(t, api.SessionID(1+i/3), api.Seq(1+i), 0))
	}
	for i, want := range []handle.Verdict{handle.Good, handle.Good, handle.Full} {
		_, v := table.Keep(1, tokens[i])
		require.Equal(t, want, v)
	}
	_, v := table.Recreate(2, tokens[3])
	require.Equal(t, handle.Full, v)
	h, v := table.Keep(2, tokens[3])
	require.Equal(t, handle.Good, v)
	require.True(t, table.Has(2, h.ID))
	require.NoError(t, table.Audit())
	own, all := table.Room(2)
	require.Equal(t, [2]int{1, 0}, [2]int{own, all})
	_, v = table.Close(2, tokens[3])
	require.Equal(t, handle.Good, v)
	_, _, v = table.Open(opening(t, 3, 1, 0))
	require.Equal(t, handle.Full, v, "there are two still")
	_, v = table.Keep(1, "forged")
	require.NotEqual(t, handle.Good, v)
}

// L2: whatever one session does, and however many there are, the table keeps to its
// limits.
func TestTheMemoryIsBounded(t *testing.T) {
	s, limits := sealer(t, secret), handle.Limits{PerSession: 3, Total: 5, Closed: 3}
	old := handle.New(1, s, handle.Limits{PerSession: 100, Total: 100, Closed: 100})
	table := handle.New(2, s, limits)
	var tokens []api.Token
	for seq := api.Seq(1); seq <= 20; seq++ {
		token, _, _ := old.Open(opening(t, 1, seq, seq-1))
		tokens = append(tokens, token)
	}
	good := 0
	for _, token := range tokens {
		if _, v := table.Recreate(1, token); v == handle.Good {
			good++
		} else {
			require.Equal(t, handle.Full, v)
		}
	}
	require.Equal(t, 3, good)
	for session := api.SessionID(2); session <= 9; session++ {
		_, _, v := table.Open(opening(t, session, 1, 0))
		require.Equal(t, session <= 3, v == handle.Good, "session %d: %v", session, v)
	}
	require.Equal(t, 5, table.Len())
	require.NoError(t, table.Audit())

	for _, token := range tokens {
		_, v := table.Close(1, token)
		require.Contains(t, []handle.Verdict{handle.Good, handle.Closed}, v)
		require.NoError(t, table.Audit())
	}
	for _, token := range tokens {
		_, v := table.Recreate(1, token)
		require.Equal(t, handle.Closed, v)
	}
	require.Equal(t, 2, table.Len())
	_, _, v := table.Open(opening(t, 1, 1, 0))
	require.Equal(t, handle.Good, v, "new handles are still given out")

	// Calls: for a client that never acknowledges, the window of api.Request.Check is the bound; calls
	// that are acknowledged are forgotten at once.
	for seq := api.Seq(2); seq <= 10*api.MaxWindow; seq++ {
		token, _, v := table.Open(opening(t, 1, seq, seq-2))
		require.Equal(t, handle.Good, v)
		table.Close(1, token)
	}
	require.NoError(t, table.Audit())
	require.Len(t, table.EndSession(1), 1)
	require.Equal(t, 2, table.Len())
}

func TestTheEndOfASessionClosesItsHandlesInOrder(t *testing.T) {
	s := sealer(t, secret)
	old := handle.New(1, s, handle.DefaultLimits)
	token, first, _ := old.Open(opening(t, 7, 1, 0))
	table := handle.New(2, s, handle.DefaultLimits)
	var want []handle.Closing
	for seq := api.Seq(1); seq <= 20; seq++ {
		o := opening(t, 7, seq, 0)
		o.Ephemeral = true
		_, h, _ := table.Open(o)
		want = append(want, handle.Closing{Handle: h, Last: seq == 20})
	}
	table.Open(opening(t, 8, 1, 0))
	table.Recreate(7, token)
	require.Equal(t, append([]handle.Closing{{Handle: first}}, want...), table.EndSession(7))
	require.Empty(t, table.EndSession(7))
	require.Empty(t, table.Handles(7))
	require.Equal(t, 1, table.Len())
	require.Equal(t, api.Epoch(2), table.Epoch())
	require.NoError(t, table.Audit())
}

func TestVerdictsHaveNames(t *testing.T) {
	for i, want := range []string{"verdict(0)", "good", "malformed", "forged", "foreign", "future", "closed", "old", "poisoned", "full", "given-up", "verdict(11)"} {
		require.Equal(t, want, handle.Verdict(i).String())
	}
	require.Equal(t, "3.4 of session 5 on /f#9 (read+write)", sample(t).String())
}
