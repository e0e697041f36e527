package linearizability

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// enough is a budget that the small histories of these tests never exhaust.
var enough = Budget{Steps: 2_000_000}

// agreement compares the two checks for a model with brute force.
type agreement[S, I, O any] struct {
	model  *Model[S, I, O]
	start  bruteState[I, O]
	draw   func(p pick) *History[I, O]
	change func(p pick, op *Operation[I, O])
	placed bool // the witness accepts any order that brute force finds, not only those without unknown outcomes
}

// TestCheckersAgree is the main proof of both checks: on 10,000 small histories,
// legal ones and ones with mutations, the search gives the brute-force answer,
// the witness check accepts the order in which a legal history really happened,
// accepts an order found by brute force, and accepts nothing else.
func TestCheckersAgree(t *testing.T) {
	a := kvAgreement(func(p pick) *History[KVInput, KVOutput] { return simulateKV(p, smallShape(p)) })
	a.run(t, 10_000)
	plain := KV()
	plain.Replayer = nil
	for seed := range uint64(1000) {
		p := splitMix(seed)
		h := mutate(p, a.draw(p), mutateKV)
		require.Equal(t, CheckWitness(plain, h), CheckWitness(KV(), h), "seed %d: replayer and model differ\n%s", seed, a.dump(h))
	}
}

func kvAgreement(draw func(p pick) *History[KVInput, KVOutput]) agreement[KVState, KVInput, KVOutput] {
	return agreement[KVState, KVInput, KVOutput]{model: KV(), start: toyStore{}, draw: draw, change: mutateKV, placed: true}
}

func smallShape(p pick) shape {
	return shape{clients: 1 + p(4), operations: 5 + p(9), keys: 1 + p(2), values: 2 + p(3), groups: 1 + p(2), lists: p(2) == 0}
}

func (a *agreement[S, I, O]) run(t *testing.T, seeds uint64) {
	var legal, illegal, refused int
	for seed := range seeds {
		p := splitMix(seed)
		h := a.draw(p)
		if seed%3 == 0 {
			a.agree(t, seed, h, true)
			legal++
			continue
		}
		h = mutate(p, h, a.change)
		if a.agree(t, seed, h, false) {
			legal++
		} else {
			illegal++
		}
		if CheckWitness(a.model, h).Verdict == Illegal {
			refused++
		}
	}
	t.Logf("%d legal, %d illegal, %d witnesses refused", legal, illegal, refused)
	require.Greater(t, illegal, int(seeds/10))
	require.Greater(t, refused, illegal)
}

// agree requires that all checks of h give the same verdict, and returns it.
func (a *agreement[S, I, O]) agree(t require.TestingT, seed uint64, h *History[I, O], trueOrder bool) bool {
	order, legal := bruteForce(h, a.start)
	r, err := Check(a.model, h, enough)
	require.NoError(t, err)
	require.Equal(t, verdictOf(legal), r.Verdict, "seed %d: search\n%s", seed, a.dump(h))
	if seed%4 == 0 {
		second := enough
		second.Porcupine = true
		r, err = Check(a.model, h, second)
		require.NoError(t, err)
		require.Equal(t, verdictOf(legal), r.Verdict, "seed %d: Porcupine\n%s", seed, a.dump(h))
	}
	plain := *a.model // only the search
	plain.Settle, plain.Narrow, plain.Hash, plain.Refute, plain.Propose = nil, nil, nil, nil, nil
	r, err = Check(&plain, h, enough)
	require.NoError(t, err)
	require.Equal(t, verdictOf(legal), r.Verdict, "seed %d: plain search\n%s", seed, a.dump(h))

	w := CheckWitness(a.model, h)
	if w.Verdict == Legal {
		b := brute[I, O]{ops: h.Operations()}
		require.True(t, legal, "seed %d: witness accepted\n%s", seed, a.dump(h))
		require.True(t, b.explains(w.Order, a.start), "seed %d: order accepted\n%s", seed, a.dump(h))
	} else {
		require.NotEmpty(t, w.Violation.Text)
	}
	if trueOrder {
		require.Equal(t, Legal, w.Verdict, "seed %d: true order refused: %+v\n%s", seed, w.Violation, a.dump(h))
	}
	if legal && (a.placed || !slices.ContainsFunc(h.Operations(), isUnknown)) {
		w := CheckWitness(a.model, placeAll(h, order))
		require.Equal(t, Legal, w.Verdict, "seed %d: order found by force refused: %+v\n%s", seed, w.Violation, a.dump(h))
	}
	return legal
}

func isUnknown[I, O any](op Operation[I, O]) bool { return op.Outcome == OutcomeUnknown }

func verdictOf(legal bool) Verdict {
	if legal {
		return Legal
	}
	return Illegal
}

// placeAll gives the operations of an order positions in this order.
func placeAll[I, O any](h *History[I, O], order []int) *History[I, O] {
	ops := append([]Operation[I, O](nil), h.Operations()...)
	for i := range ops {
		ops[i].At, ops[i].WitnessOutput = Position{}, false
	}
	for slot, i := range order {
		ops[i].At = Position{Slot: int64(slot + 1)}
	}
	placed, err := NewHistory(ops)
	if err != nil {
		panic(err)
	}
	return placed
}

func (a *agreement[S, I, O]) dump(h *History[I, O]) string {
	text := ""
	for i := range h.Operations() {
		op := &h.Operations()[i]
		text += describe(a.model, nil, op) + " at " + describePosition(op.At) + "\n"
	}
	return text
}

// TestCheckersAgreeRapid makes the same comparison with histories that rapid draws, and shrinks if one fails.
func TestCheckersAgreeRapid(t *testing.T) {
	a := kvAgreement(func(p pick) *History[KVInput, KVOutput] {
		return simulateKV(p, shape{clients: 3, operations: 6, keys: 2, values: 3, groups: 1, lists: true})
	})
	rapid.Check(t, func(t *rapid.T) {
		p := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		h := a.draw(p)
		a.agree(t, 0, h, true)
		a.agree(t, 0, mutate(p, h, a.change), false)
	})
}
