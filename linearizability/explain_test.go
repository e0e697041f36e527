package linearizability

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnExplanationReadsLikeThis(t *testing.T) {
	const x = "g/x"
	h := historyOf(t, []kvOperation{
		done(1, 1, 2, Put(x, "1"), nothing),
		done(2, 3, 4, Get(x), value("1")),
		done(1, 5, 6, Put(x, "2"), nothing),
		done(2, 7, 10, Get(x), value("1")),
		done(3, 8, 9, Get("g/y"), nothing),
		done(2, 11, 12, Put(x, "3"), nothing),
	})
	e, err := Explain(KV(), h, Budget{})
	require.NoError(t, err)
	require.Equal(t, `Not linearizable: kv "g/x", 5 operations.
The first 3 completions have a legal order, the first 4 have none. The last of them:
  #4 client 2: get g/x -> "1" [called 7, returned 10]
cannot have had this result. Possible there: "2".
It contradicts:
  #3 client 1: put g/x = "2" -> ok [called 5, returned 6]: returned before it was called
  #1 client 1: put g/x = "1" -> ok [called 1, returned 2]: returned before it was called
`, e.Text)
	require.Equal(t, int64(4), e.Culprit)
	require.Equal(t, []int64{3, 1}, e.Involved)
	require.True(t, e.Shortest)
	require.True(t, e.AllPossible)
}

// TestExplanationsAreTrue holds what explanations say of mutated histories
// against brute force: the prefix is illegal and the one before it is not, the
// contradiction stands on what is named, and the possible results are those.
func TestExplanationsAreTrue(t *testing.T) {
	checked := 0
	for seed := uint64(0); checked < 300; seed++ {
		p := splitMix(seed)
		h := mutate(p, simulateKV(p, smallShape(p)), mutateKV)
		e, err := Explain(KV(), h, enough)
		require.NoError(t, err)
		if e == nil {
			continue
		}
		checked++
		requireTrue(t, h, e)
	}
}

func requireTrue(t *testing.T, h *History[KVInput, KVOutput], e *Explanation) {
	parts, err := partitions(KV(), h)
	require.NoError(t, err)
	i := slices.IndexFunc(parts, func(p partition[KVInput, KVOutput]) bool { return p.name == e.Partition })
	ops := parts[i].ops
	c := ops[slices.IndexFunc(ops, func(op *kvOperation) bool { return op.ID == e.Culprit })]
	require.True(t, e.Shortest)
	require.False(t, legalByForce(t, cut(ops, c.Return)), e.Text)
	require.True(t, legalByForce(t, cut(ops, c.Return-1)), e.Text)
	require.Less(t, strings.Count(e.Text, "\n"), 20)

	var named []*kvOperation
	for _, op := range cut(ops, c.Return) {
		switch {
		case op.ID == e.Culprit || slices.Contains(e.Involved, op.ID):
			named = append(named, op)
		case !KV().readOnly(op.Input) && op.Outcome != OutcomeFailed:
			named = append(named, forgotten(op))
		}
	}
	require.False(t, legalByForce(t, named), "named operations alone\n%s", e.Text)
	if c.Input.Op == OpGet {
		require.True(t, e.AllPossible)
		require.Equal(t, possibleByForce(t, cut(ops, c.Return), c), e.Possible, e.Text)
	}
}

// possibleByForce tries every result that a get can have in these tests.
func possibleByForce(t *testing.T, ops []*kvOperation, c *kvOperation) []string {
	possible := []string{}
	for v := -1; v < 10; v++ {
		other := *c
		other.Output = KVOutput{Found: v >= 0, Value: fmt.Sprint(v)}
		if legalByForce(t, replaced(ops, &other)) {
			possible = append(possible, describeKVOutput(c.Input, other.Output))
		}
	}
	slices.Sort(possible)
	return possible
}

func legalByForce(t *testing.T, ops []*kvOperation) bool {
	var plain []kvOperation
	for _, op := range ops {
		plain = append(plain, *op)
	}
	h, err := NewHistory(plain)
	require.NoError(t, err)
	_, legal := bruteForce(h, toyStore{})
	return legal
}

func TestAPageShowsTheIllegalPartition(t *testing.T) {
	bad := badHistories()[0]
	h := historyOf(t, bad.ops)
	var page bytes.Buffer
	require.NoError(t, WritePage(&page, KV(), h, PageOptions{}))
	require.Contains(t, page.String(), "<html")
	require.Contains(t, page.String(), `put g/x = \"2\" -\u003e ok`)
	page.Reset()
	require.NoError(t, WritePage(&page, KV(), h, PageOptions{Partition: "g/x"}))
	require.ErrorIs(t, WritePage(&page, KV(), h, PageOptions{Partition: "g/z"}), ErrPage)
	require.ErrorIs(t, WritePage(&page, KV(), h, PageOptions{MaxOperations: 1}), ErrPage)

	bad.fix(bad.ops)
	page.Reset()
	require.NoError(t, WritePage(&page, KV(), historyOf(t, bad.ops), PageOptions{}))
	require.Contains(t, page.String(), "<html")
}
