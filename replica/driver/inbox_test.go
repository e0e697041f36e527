package driver

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
)

func keepAlive(session api.SessionID) []byte {
	return api.AppendRequest(nil, api.Request{ID: 300, Session: session, Epoch: 9, Op: api.KeepAlive{Now: true}})
}

func get(seq api.Seq) []byte {
	return api.AppendRequest(nil, api.Request{ID: 300, Session: 500, Seq: seq, Op: api.Get{Key: "row"}})
}

// takes empties an inbox: messages in the order in which they are taken, with a bar where what
// follows is carried out.
func takes(b *Inbox[string]) (s string) {
	for {
		m, ok := b.Next()
		if !ok {
			return s
		}
		s += m
		if b.Acts() {
			s += "|"
		}
	}
}

func TestPeersComeBeforeKeepAlivesAndThoseBeforeCalls(t *testing.T) {
	c := defaultInbox()
	b := NewInbox[string](c)
	require.Empty(t, takes(b))
	require.True(t, b.AddClient(1, "ann", get(1), "c"))
	require.True(t, b.AddClient(1, "ann", keepAlive(5), "k"))
	require.True(t, b.AddPeer("p"))
	require.True(t, b.AddPeer("q"))
	require.True(t, b.AddClient(2, "ann", []byte("no request"), "x"))
	require.Equal(t, 5, b.Len())
	require.Equal(t, "p|q|kcx|", takes(b))
}

func TestABurstEndsAtItsBoundAndAtAPeer(t *testing.T) {
	c := defaultInbox()
	c.Burst = 3
	b := NewInbox[string](c)
	for i := range 7 {
		require.True(t, b.AddClient(core.Addr(i), "ann", get(1), fmt.Sprint(i)))
	}
	require.Equal(t, "012|345|6|", takes(b))
	b.AddClient(1, "ann", get(1), "a")
	b.AddClient(1, "ann", get(2), "b")
	m, _ := b.Next()
	b.AddPeer("p")
	require.Equal(t, "a", m)
	require.True(t, b.Acts(), "the message of a peer comes behind nothing that was not carried out")
	require.Equal(t, "p|b|", takes(b))
	c.Burst = 1
	b = NewInbox[string](c)
	b.AddClient(1, "ann", get(1), "a")
	b.AddClient(1, "ann", get(2), "b")
	require.Equal(t, "a|b|", takes(b))
}

func TestKeepAlivesKeepNoCallAwayForGood(t *testing.T) {
	c := defaultInbox()
	c.Burst = 100
	b := NewInbox[string](c)
	for range 20 {
		b.AddClient(1, "ann", keepAlive(5), "k")
	}
	b.AddClient(1, "ann", get(1), "c")
	b.AddClient(1, "ann", get(2), "d")
	require.Equal(t, "kkkkkkkkckkkkkkkkdkkkk|", takes(b))
}

func TestOneClientLeavesRoomForOthers(t *testing.T) {
	c := defaultInbox()
	c.Calls, c.KeepAlives, c.Peers = 8, 2, 2
	b := NewInbox[string](c)
	n := 0
	for b.AddClient(1, "ann", get(1), "a") {
		n++
	}
	require.Equal(t, 4, n)
	for b.AddClient(2, "ann", get(1), "b") {
		n++
	}
	require.Equal(t, 6, n)
	require.True(t, b.AddClient(3, "ann", keepAlive(1), "k"), "calls take no room of KeepAlives")
	require.False(t, b.AddClient(3, "ann", keepAlive(1), "k"))
	require.True(t, b.AddClient(4, "ann", keepAlive(1), "k"))
	require.True(t, b.AddPeer("p"))
	require.True(t, b.AddPeer("p"))
	require.False(t, b.AddPeer("p"))
	require.Equal(t, "p|p|kkababaa|", takes(b))
	require.True(t, b.AddClient(1, "ann", get(1), "a"), "what was taken has left its room")
}

// A call of a client does not wait for the many that another client sent before it.
func TestClientsTakeTurns(t *testing.T) {
	c := defaultInbox()
	c.Burst = 100
	b := NewInbox[string](c)
	for i := range 5 {
		require.True(t, b.AddClient(1, "ann", get(api.Seq(i)), fmt.Sprint("a", i)))
	}
	require.True(t, b.AddClient(2, "ann", get(1), "b0"))
	m, _ := b.Next()
	require.Equal(t, "a0", m)
	require.True(t, b.AddClient(3, "ann", get(1), "c0"))
	require.True(t, b.AddClient(2, "ann", get(2), "b1"))
	require.Equal(t, "b0a1c0b1a2a3a4|", takes(b))
	for range 3 * mostSpare {
		for i := range core.Addr(2 * mostSpare) {
			require.True(t, b.AddClient(i, "ann", get(1), "x"))
			require.True(t, b.AddClient(i, "ann", keepAlive(1), "k"))
		}
		takes(b)
	}
	require.Len(t, b.calls.spare, mostSpare)
	require.Empty(t, b.calls.of)
}

// A call does not wait for those of the many clients of another principal, nor lacks room for them: a client is cheap to
// make.
func TestPrincipalsTakeTurns(t *testing.T) {
	c := defaultInbox()
	c.Burst, c.Calls = 100, 90
	b := NewInbox[string](c)
	n := 0
	for i := core.Addr(100); b.AddClient(i, "eve", get(1), "e"); i++ {
		n++
	}
	require.Equal(t, 80, n, "eight times the room that is left")
	for i := range 5 {
		require.True(t, b.AddClient(1, "ann", get(api.Seq(i)), "a"))
	}
	require.True(t, b.AddClient(2, "ann", get(1), "b"))
	require.Equal(t, "eaebeaeaeaea", takes(b)[:12])
	require.Empty(t, b.calls.shares)
	require.Empty(t, b.calls.of)
	for range 3 * mostSpare {
		for i := range core.Addr(2 * mostSpare) {
			require.True(t, b.AddClient(i, api.Principal(fmt.Sprint(i)), get(1), "x"))
		}
		takes(b)
	}
	require.Len(t, b.calls.spareShares, mostSpare)
}

// The memory of an inbox that is never empty does not grow.
func TestAnInboxKeepsNothingThatWasTaken(t *testing.T) {
	b := NewInbox[string](defaultInbox())
	b.AddPeer("first")
	for range 10_000 {
		b.AddPeer("next")
		b.Next()
	}
	require.Equal(t, 1, b.Len())
	require.LessOrEqual(t, cap(b.peers.items), 8)
}

func TestWhatFindsNoRoomIsAnswered(t *testing.T) {
	for _, wire := range [][]byte{get(7), keepAlive(500)} {
		q, err := api.DecodeRequest(wire)
		require.NoError(t, err)
		answer, ok := Refusal(wire)
		require.True(t, ok)
		p, err := api.DecodeReply(answer)
		require.NoError(t, err)
		require.Equal(t, api.Reply{ID: q.ID, Session: 500, Seq: q.Seq, Result: api.Result{Code: api.Busy}}, p)
	}
	_, ok := Refusal([]byte("no request"))
	require.False(t, ok)
}
