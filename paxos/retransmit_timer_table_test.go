package paxos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// With answers that take a hundred times the configured wait, what a leader
// repeats falls to nothing: each further proposal waits as long as votes take.
// The negative half: a timer that learns nothing repeats every one of them.
func TestTheRetransmitTimerFollowsSlowAnswers(t *testing.T) {
	const least, slow = 10 * time.Millisecond, 300 * time.Millisecond
	repeats := func(p *retransmitTimer, learn bool) int {
		n, w := 0, p.first
		for at := w; at < slow; at += w {
			w = p.backoff(w)
			n++
		}
		switch {
		case !learn:
		case n > 0:
			p.onRepeated(w)
		default:
			p.onAnswered(slow)
		}
		return n
	}
	p := newRetransmitTimer(least)
	require.Equal(t, 4, repeats(&p, true))
	require.Equal(t, 1, repeats(&p, true))
	for range 100 {
		require.Zero(t, repeats(&p, true))
	}
	deaf := newRetransmitTimer(least)
	for range 100 {
		require.Equal(t, 4, repeats(&deaf, false))
	}
}

func TestTheRetransmitTimerHasBounds(t *testing.T) {
	const least = 10 * time.Millisecond
	p := newRetransmitTimer(least)
	w := p.first
	for range 20 {
		w = p.backoff(w)
	}
	require.Equal(t, maxWaitFast*least, w, "answers were fast before: silence is loss, and is not waited out for long")

	p.onRepeated(w)
	for range 20 {
		w = p.backoff(w)
		p.onRepeated(w)
	}
	require.Equal(t, maxWaitSlow*least, p.first)

	for range 100 {
		p.onAnswered(0)
	}
	require.Equal(t, least, p.first, "fast answers bring it back, to the configured wait and not below")
	p.onAnswered(time.Hour)
	require.Equal(t, maxWaitSlow*least, p.first)
}
