package paxos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// With answers that take a hundred times the configured wait, what a leader
// repeats falls to nothing: each further proposal waits as long as votes take.
// The negative half: a patience that learns nothing repeats every one of them.
func TestPatienceFollowsSlowAnswers(t *testing.T) {
	const least, slow = 10 * time.Millisecond, 300 * time.Millisecond
	repeats := func(p *patience, learn bool) int {
		n, w := 0, p.wait
		for at := w; at < slow; at += w {
			w = p.next(w)
			n++
		}
		switch {
		case !learn:
		case n > 0:
			p.repeated(w)
		default:
			p.answered(slow)
		}
		return n
	}
	p := newPatience(least)
	require.Equal(t, 4, repeats(&p, true))
	require.Equal(t, 1, repeats(&p, true))
	for range 100 {
		require.Zero(t, repeats(&p, true))
	}
	deaf := newPatience(least)
	for range 100 {
		require.Equal(t, 4, repeats(&deaf, false))
	}
}

func TestPatienceBounds(t *testing.T) {
	const least = 10 * time.Millisecond
	p := newPatience(least)
	w := p.wait
	for range 20 {
		w = p.next(w)
	}
	require.Equal(t, patienceSilent*least, w, "answers were fast before: silence is loss, and is not waited out for long")

	p.repeated(w)
	for range 20 {
		w = p.next(w)
		p.repeated(w)
	}
	require.Equal(t, patienceMost*least, p.wait)

	for range 100 {
		p.answered(0)
	}
	require.Equal(t, least, p.wait, "fast answers bring it back, to the configured wait and not below")
	p.answered(time.Hour)
	require.Equal(t, patienceMost*least, p.wait)
}
