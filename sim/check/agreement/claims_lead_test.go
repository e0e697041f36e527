package agreement

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
)

func (f *facts) life(id paxos.NodeID, boot paxos.Boot) {
	f.h.Logs.OnDurable(id, []paxos.Record{paxos.Booted{Boot: boot}})
}

// Each row is what disks have promised and voted, and one Accept of replica 1 at ballot 2.1.
// told is empty if the Accept is right.
func TestAProposerHasFinishedPhase1(t *testing.T) {
	b, low, mid := ballot(2, 1), ballot(1, 2), ballot(1, 3)
	accept := func(v string) paxos.Accept { return paxos.Accept{Ballot: b, Boot: 1, Slot: 5, Value: val(v)} }
	all := func(f *facts) { f.promise(1, b); f.promise(2, b); f.promise(3, b) }
	two := func(f *facts) { f.promise(1, b); f.promise(2, b) }
	for _, c := range []struct {
		name  string
		facts func(f *facts)
		value string
		told  string
	}{
		{"two of three have promised", two, "x", ""},
		{"its own disk only", func(f *facts) { f.promise(1, b) }, "x", "which 1 disks have promised"},
		{"another one promised it an earlier ballot", func(f *facts) { f.promise(1, b); f.promise(2, ballot(1, 1)) }, "x", "which 1 disks have promised"},
		{"a promise that was overtaken counts", func(f *facts) { two(f); f.promise(2, ballot(3, 3)) }, "x", ""},
		{"its own acceptor is bound to another", func(f *facts) { two(f); f.promise(1, ballot(3, 3)) }, "x", "with 3.3 promised on its disk"},
		{"and to a later attempt of its own", func(f *facts) { two(f); f.promise(1, ballot(3, 1)) }, "x", ""},
		{"the same life again", func(f *facts) { f.life(1, 1); two(f); f.says(1, accept("x")) }, "x", ""},
		{"a later life at the same ballot", func(f *facts) { f.life(1, 1); two(f); f.says(1, accept("x")); f.life(1, 2) }, "x", "life 1 has proposed at it"},
		{"the value of a vote", func(f *facts) { f.vote(2, 5, low, "v"); two(f) }, "v", ""},
		{"another value than that of a vote", func(f *facts) { f.vote(2, 5, low, "v"); two(f) }, "x", "which no quorum of those who promised 2.1 allows"},
		{"a quorum without the vote", func(f *facts) { f.vote(2, 5, low, "v"); all(f) }, "x", ""},
		{"the highest of two votes", func(f *facts) { f.vote(2, 5, low, "v"); f.vote(3, 5, mid, "w"); all(f) }, "w", ""},
		{"the lower of two votes, with one who has none", func(f *facts) { f.vote(2, 5, low, "v"); f.vote(3, 5, mid, "w"); all(f) }, "v", ""},
		{"neither of two votes", func(f *facts) { f.vote(2, 5, low, "v"); f.vote(3, 5, mid, "w"); all(f) }, "x", "which no quorum"},
		{"the lower of two votes of all who promised", func(f *facts) {
			f.vote(2, 5, low, "v")
			f.vote(1, 5, mid, "w")
			two(f)
		}, "v", "which no quorum"},
		{"a slot that was chosen below", func(f *facts) { f.vote(2, 5, low, "v"); f.vote(3, 5, low, "v"); all(f) }, "x", "which no quorum"},
		{"a slot that was chosen above", func(f *facts) {
			two(f)
			f.vote(2, 5, ballot(3, 3), "v")
			f.vote(3, 5, ballot(3, 3), "v")
		}, "x", ""},
		{"what a damaged disk had is not known", func(f *facts) { f.vote(2, 5, low, "v"); two(f); f.h.Budget.Take(2) }, "x", ""},
	} {
		f := newFacts(t)
		c.facts(f)
		f.good()
		f.says(1, accept(c.value))
		if c.told == "" {
			require.Nil(t, f.w.Failure(), c.name)
			continue
		}
		require.NotNil(t, f.w.Failure(), c.name)
		require.Equal(t, "I-W1", f.w.Failure().ID, c.name)
		require.Contains(t, f.w.Failure().Text, c.told, c.name)
	}
}
