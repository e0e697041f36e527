package linearizability

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withoutRefute returns a model without Refute, so that only the search decides.
func withoutRefute(m *Model[KVState, KVInput, KVOutput]) *Model[KVState, KVInput, KVOutput] {
	m.Refute = nil
	return m
}

// The search with Refute gives the same verdicts as the search without it, for legal and for mutated histories.
func TestWhatIsRefutedHasNoOrder(t *testing.T) {
	refuted := 0
	for seed := range uint64(3000) {
		p := splitMix(seed)
		h := mutate(p, simulateKV(p, smallShape(p)), mutateKV)
		plain, err := Check(withoutRefute(KV()), h, Budget{All: true})
		require.NoError(t, err)
		both, err := Check(KV(), h, Budget{All: true})
		require.NoError(t, err)
		require.Equal(t, len(plain.Partitions), len(both.Partitions))
		for i := range plain.Partitions {
			a, b := &plain.Partitions[i], &both.Partitions[i]
			require.Equal(t, a.Verdict, b.Verdict, "seed %d, partition %q", seed, a.Name)
			if b.Verdict == Illegal && b.Steps == 0 && a.Steps > 0 {
				refuted++
			}
		}
	}
	require.Greater(t, refuted, 100, "the test tests something")
}

// A value that no operation wrote is found without a search, even in a history for which the search would never end.
func TestAValueThatNothingWroteIsToldAtOnce(t *testing.T) {
	const n = 400 // concurrent writes: a search would try 2^400 sets
	ops := make([]kvOperation, 0, n+3)
	for i := range int64(n) {
		ops = append(ops, done(i, i, 10_000+i, Write(fmt.Sprint(i)), nothing))
	}
	for name, c := range map[string]struct {
		more []kvOperation
		says string
	}{
		"never":  {[]kvOperation{done(n, 20_000, 20_001, Read(), value("lost"))}, `Nothing wrote "lost".`},
		"later":  {[]kvOperation{done(n, 20_000, 20_001, Read(), value("late")), done(n, 20_002, 20_003, Write("late"), nothing)}, `Nothing wrote "late" before it returned: the first call that does is at 20002.`},
		"cas":    {[]kvOperation{done(n, 20_000, 20_001, CompareAndSet("", "lost", "x"), success)}, `Nothing wrote "lost".`},
		"failed": {[]kvOperation{failed(n, 20_000, 20_001, Write("lost")), done(n, 20_002, 20_003, Read(), value("lost"))}, `Nothing wrote "lost".`},
	} {
		h := historyOf(t, append(ops[:n:n], c.more...))
		r, err := CheckHistory(Register(), h, Options{Budget: Budget{Steps: 20_000}})
		require.NoError(t, err, name)
		require.Equal(t, Illegal, r.Verdict, name)
		require.Zero(t, r.Steps, name)
		require.Contains(t, r.Explanation.Text, c.says, name)
		require.NotContains(t, r.Explanation.Text, "It contradicts", name)
		require.Empty(t, r.Explanation.Involved, name)
	}
	// A read value may end with an appended text, and an operation of unknown outcome may have written it.
	for _, h := range [][]kvOperation{
		{done(1, 1, 2, Append("x", "ab"), nothing), done(1, 3, 4, Append("x", "c"), nothing), done(1, 5, 6, Get("x"), value("abc"))},
		{unknown(1, 1, Put("x", "1")), done(2, 2, 3, Get("x"), value("1"))},
		{unknown(1, 1, PutIfAbsent("x", "1")), done(2, 2, 3, Delete("x"), wasFound)},
	} {
		r, err := Check(KV(), historyOf(t, h), Budget{})
		require.NoError(t, err)
		require.Equal(t, Legal, r.Verdict)
	}
	r, err := Check(KV(), historyOf(t, []kvOperation{done(1, 1, 2, Append("x", "ab"), nothing), done(1, 5, 6, Get("x"), value("abc"))}), Budget{})
	require.NoError(t, err)
	require.Equal(t, Illegal, r.Verdict)
	require.Zero(t, r.Steps)
}

// If the reduction ran out of budget, the text says so, and lists first the operations that returned before the culprit
// was called.
func TestAnExplanationThatIsRoughSaysSo(t *testing.T) {
	e := &explainer[KVState, KVInput, KVOutput]{model: Register(), rough: true}
	culprit := done(99, 50, 60, Read(), value("0"))
	e.prefix.culprit = &culprit
	for i := range int64(12) {
		op := done(i, 20+i, 70+i, Write("w"), nothing)
		op.ID = i
		e.reduced = append(e.reduced, &op)
	}
	before := done(12, 1, 2, Write("b"), nothing)
	before.ID, culprit.ID = 12, 99
	e.reduced = append(e.reduced, &before)
	text := e.writeText(&Explanation{})
	require.Contains(t, text, "It contradicts some of these (which, was not found within the budget):\n  #12 client 12: write \"b\"")
	require.True(t, strings.HasSuffix(text, "  and 5 more\n"), text)
}

// A long search reports its progress.
func TestASearchTellsHowFarItIs(t *testing.T) {
	var last Progress
	r, err := Check(KV(), hardHistory(24), Budget{Steps: 10 * 1024, Told: func(p Progress) { last = p }})
	require.NoError(t, err)
	require.Equal(t, Undecided, r.Verdict)
	require.Equal(t, Progress{Partitions: 1, Partition: "g/x", Operations: 25, Steps: 10 * 1024}, last)
}
