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

// TestExplanationsAreTrue compares the explanations of mutated histories with brute force: the
// prefix is illegal and the one before it is not, the contradiction depends on the involved
// operations, and the possible results are correct.
func TestExplanationsAreTrue(t *testing.T) {
	a := kvAgreement(func(p pick) *History[KVInput, KVOutput] { return simulateKV(p, smallShape(p)) })
	a.explained(t, 300, func(e *Explanation, c *kvOperation, before []*kvOperation) {
		if c.Input.Op == OpGet {
			require.True(t, e.AllPossible)
			require.Equal(t, possibleByForce(t, before, c), e.Possible, e.Text)
		}
	})
	fileAgreement(true, "/", "/d", "/d/x").explained(t, 60, nil)
	lockAgreement(true).explained(t, 60, nil)
}

// explained checks a number of explanations. It passes each to also, with the culprit and the operations that returned
// before the culprit.
func (a *agreement[S, I, O]) explained(t *testing.T, n int, also func(e *Explanation, c *Operation[I, O], before []*Operation[I, O])) {
	for seed := uint64(0); n > 0; seed++ {
		p := splitMix(seed)
		h := mutate(p, a.draw(p), a.change)
		e, err := Explain(a.model, h, enough)
		require.NoError(t, err)
		if e == nil {
			continue
		}
		n--
		c, before := a.requireTrue(t, h, e)
		if also != nil {
			also(e, c, before)
		}
	}
}

func (a *agreement[S, I, O]) requireTrue(t *testing.T, h *History[I, O], e *Explanation) (c *Operation[I, O], before []*Operation[I, O]) {
	parts, err := partitions(a.model, h)
	require.NoError(t, err)
	i := slices.IndexFunc(parts, func(p partition[I, O]) bool { return p.name == e.Partition })
	ops := parts[i].ops
	c = ops[slices.IndexFunc(ops, func(op *Operation[I, O]) bool { return op.ID == e.Culprit })]
	before = cutAt(ops, c.Return)
	require.True(t, e.Shortest)
	require.False(t, legalByForce(t, before, a.start), e.Text)
	require.True(t, legalByForce(t, cutAt(ops, c.Return-1), a.start), e.Text)
	require.Less(t, strings.Count(e.Text, "\n"), 20)

	var named []*Operation[I, O]
	for _, op := range before {
		switch {
		case op.ID == e.Culprit || slices.Contains(e.Involved, op.ID):
			named = append(named, op)
		case !a.model.ReadOnly(op.Input) && op.Outcome != OutcomeFailed:
			named = append(named, withUnknownOutcome(op))
		}
	}
	require.False(t, legalByForce(t, named, a.start), "named operations alone\n%s", e.Text)
	return c, before
}

// possibleByForce tries every result that a get can have in these tests.
func possibleByForce(t *testing.T, ops []*kvOperation, c *kvOperation) []string {
	possible := []string{}
	for v := -1; v < 10; v++ {
		other := *c
		other.Output = KVOutput{Found: v >= 0, Value: fmt.Sprint(v)}
		if legalByForce(t, replaced(ops, &other), toyStore{}) {
			possible = append(possible, KV().DescribeOutput(c.Input, other.Output))
		}
	}
	slices.Sort(possible)
	return possible
}

func legalByForce[I, O any](t *testing.T, ops []*Operation[I, O], start bruteState[I, O]) bool {
	var plain []Operation[I, O]
	for _, op := range ops {
		plain = append(plain, *op)
	}
	h, err := NewHistory(plain)
	require.NoError(t, err)
	_, legal := bruteForce(h, start)
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

// A key is shown on one line, and steers no terminal, whatever it consists of.
func TestNamesAreShownOnOneLine(t *testing.T) {
	const key = `"a\u001b[31m\nb\u2028é"`
	r, err := CheckFile(strings.NewReader(`{"client":1,"call":1,"return":2,"input":{"op":"put","key":`+key+`,"value":"x"}}
{"client":1,"call":3,"return":4,"slot":1,"input":{"op":"get","key":`+key+`},"output":{"value":"y"}}`), "kv", Options{})
	require.NoError(t, err)
	require.Equal(t, Illegal, r.Verdict)
	require.Contains(t, r.Text(), `#1 client 1: get a\x1b[31m\nb\u2028é -> "y" [called 3`)
	require.Contains(t, r.Witness.Text, `#0 client 1: put a\x1b[31m\nb\u2028é = "x" -> ok`)
	for line := range strings.Lines(r.Text()) {
		require.NotContains(t, strings.TrimSuffix(line, "\n"), "\x1b")
	}
}
