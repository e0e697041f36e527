package linearizability

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// hardHistory has n concurrent writes and then a read that finds none of them. There is no order, but to know that, a
// search must try 2^n sets of writes.
func hardHistory(n int) *History[KVInput, KVOutput] {
	rec := NewRecorder[KVInput, KVOutput](n + 1)
	for c := range n {
		rec.Call(int64(c), 0, Put("g/x", fmt.Sprint(c)))
	}
	for c := range n {
		rec.OK(c, 0, nothing)
	}
	rec.OK(rec.Call(0, 0, Get("g/x")), 0, nothing)
	return rec.History()
}

func TestABudgetEndsASearchAtTheSameStepEveryTime(t *testing.T) {
	h := hardHistory(24)
	for _, b := range []Budget{{Steps: 1}, {Steps: 5000}, {Bytes: 1_000_000}, {Steps: 30_000, Bytes: 1 << 20}} {
		first, err := Check(KV(), h, b)
		require.NoError(t, err)
		require.Equal(t, Undecided, first.Verdict)
		again, err := Check(KV(), h, b)
		require.NoError(t, err)
		require.Equal(t, first, again)
		if b.Bytes == 0 {
			require.Equal(t, b.Steps, first.Steps)
		} else {
			require.Less(t, first.Steps, int64(30_000))
		}
	}
}

func TestTheWorstPartitionDecides(t *testing.T) {
	bad := []kvOperation{
		done(1, 1, 2, Put("b/x", "1"), nothing),
		done(1, 3, 4, Put("a/x", "1"), nothing),
		done(1, 5, 6, Get("a/x"), value("2")),
		done(1, 7, 8, Get("c/x"), nothing),
		failed(1, 9, 10, List("a/")),
		unknown(1, 11, Get("b/x")),
		unknown(1, 12, Put("b/x", "3")),
	}
	r, err := Check(KV(), historyOf(t, bad), Budget{All: true})
	require.NoError(t, err)
	require.Equal(t, Illegal, r.Verdict)
	require.Equal(t, []PartitionResult{
		{Name: "a/x", Operations: 2, Verdict: Illegal},
		{Name: "b/x", Operations: 1, Dropped: 2, Verdict: Legal, Steps: 1},
		{Name: "c/x", Operations: 1, Verdict: Legal, Steps: 1},
	}, r.Partitions)
	require.Equal(t, int64(2), r.Steps)

	r, err = Check(KV(), historyOf(t, bad), Budget{})
	require.NoError(t, err)
	require.Equal(t, Illegal, r.Verdict)
	require.Equal(t, PartitionResult{Name: "b/x", Operations: 3, Bound: ByIllegal}, r.Partitions[1], "an illegal one ends the search of all")

	r, err = Check(withoutRefute(KV()), historyOf(t, bad), Budget{Steps: 1})
	require.NoError(t, err)
	require.Equal(t, Undecided, r.Verdict)
	require.Equal(t, Undecided, r.Partitions[0].Verdict)
	require.Equal(t, BySteps, r.Partitions[0].Bound)
	require.Equal(t, Legal, r.Partitions[1].Verdict)
}

func TestWhereSomebodyListsTheGroupIsOnePartition(t *testing.T) {
	ops := []kvOperation{
		done(1, 1, 2, Put("a/x", "1"), nothing),
		done(1, 3, 4, Put("a/y", "1"), nothing),
		done(1, 5, 6, Put("b/x", "1"), nothing),
		done(1, 7, 8, List("a/"), rows("a/x", "1", "a/y", "1")),
	}
	r, err := Check(KV(), historyOf(t, ops), Budget{})
	require.NoError(t, err)
	require.Len(t, r.Partitions, 2)
	require.Equal(t, "a", r.Partitions[0].Name)
	require.Equal(t, "b/x", r.Partitions[1].Name)
}

func TestAnInvalidInputIsAnError(t *testing.T) {
	for _, in := range []KVInput{List("g"), {Op: 77}, {}} {
		h := historyOf(t, []kvOperation{unknown(1, 1, in)})
		_, err := Check(KV(), h, Budget{})
		require.ErrorIs(t, err, ErrMalformed)
		_, err = Explain(KV(), h, Budget{})
		require.ErrorIs(t, err, ErrMalformed)
		require.ErrorIs(t, WritePage(nil, KV(), h, PageOptions{}), ErrMalformed)
	}
}

func TestAPanicOfTheModelReachesTheCaller(t *testing.T) {
	m := KV()
	m.Step = func(KVState, KVInput, KVOutput) (bool, KVState) { panic("out of cheese") }
	h := historyOf(t, []kvOperation{done(1, 1, 2, Get("x"), nothing)})
	require.PanicsWithError(t, "linearizability: model kv panicked: out of cheese", func() { Check(m, h, Budget{}) })
}

func TestAnEmptyHistoryIsLegal(t *testing.T) {
	h := historyOf(t, []kvOperation{})
	require.Equal(t, Legal, CheckWitness(KV(), h).Verdict)
	r, err := Check(KV(), h, Budget{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict)
	e, err := Explain(KV(), h, Budget{})
	require.NoError(t, err)
	require.Nil(t, e)
}

// TestALongHistoryOfOneRegisterIsDecided checks that the memory of a configuration does not grow with the history: a
// search that kept 100,000 bits for each would exceed the budget.
func TestALongHistoryOfOneRegisterIsDecided(t *testing.T) {
	store, p := map[string]string{}, splitMix(1)
	h := record(p, 100_000, 5, func() KVInput {
		return [...]KVInput{Get("r"), Put("r", fmt.Sprint(p(5))), CompareAndSet("r", fmt.Sprint(p(5)), fmt.Sprint(p(5)))}[p(3)]
	}, func(in KVInput, _ int64) (KVOutput, bool) { return benchApply(store, in), false })
	r, err := Check(Register(), h, Budget{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict, "%+v", r)
	require.Less(t, r.Steps, int64(1_000_000))
}

// TestSettlingKeepsTheSearchShort shows what Settle is for: to know that there is no order, a search must try every set
// of the operations of unknown outcome, unless it knows which of them can matter.
func TestSettlingKeepsTheSearchShort(t *testing.T) {
	rec := NewRecorder[KVInput, KVOutput](200)
	for i := range 40 {
		rec.Unknown(rec.Call(2, 0, Put("g/x", fmt.Sprint("lost ", i))), 0)
		rec.OK(rec.Call(1, 0, Put("g/x", fmt.Sprint(i))), 0, nothing)
	}
	rec.OK(rec.Call(1, 0, Get("g/x")), 0, value("lost 7"))
	rec.OK(rec.Call(1, 0, Put("g/x", "last")), 0, nothing)
	rec.OK(rec.Call(1, 0, Get("g/x")), 0, value("never written"))
	settlingHelps(t, KV, rec.History())
}

// settlingHelps requires that the search of an illegal history is short with Settle, and that Porcupine's search without
// Settle exceeds the budget.
func settlingHelps[S, I, O any](t *testing.T, model func() *Model[S, I, O], h *History[I, O]) {
	t.Helper()
	settled, err := Check(model(), h, Budget{Steps: 100_000})
	require.NoError(t, err)
	require.Equal(t, Illegal, settled.Verdict)
	require.Less(t, settled.Steps, int64(1000))
	m := model()
	m.Settle = nil
	plain, err := Check(m, h, Budget{Steps: 100_000, Porcupine: true})
	require.NoError(t, err)
	require.Equal(t, Undecided, plain.Verdict)
}

// A search that Stop ends leaves the remaining partitions undecided, with the bound ByTime.
func TestAStoppedSearchLeavesTheRestOpen(t *testing.T) {
	ops := []kvOperation{done(1, 1, 2, Put("a/x", "1"), nothing), done(1, 3, 4, Put("b/x", "1"), nothing), done(1, 5, 6, Put("c/x", "1"), nothing)}
	asked := 0
	r, err := Check(KV(), historyOf(t, ops), Budget{Stop: func() bool { asked++; return asked > 1 }})
	require.NoError(t, err)
	require.Equal(t, Undecided, r.Verdict)
	require.Equal(t, []Bound{"", ByTime, ByTime}, []Bound{r.Partitions[0].Bound, r.Partitions[1].Bound, r.Partitions[2].Bound})
	require.Equal(t, Legal, r.Partitions[0].Verdict)
}
