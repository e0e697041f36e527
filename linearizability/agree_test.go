package linearizability

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// enough never runs out on the small histories of these tests.
var enough = Budget{Steps: 2_000_000}

// TestCheckersAgree is the main proof of both checks: on 10,000 small histories,
// legal ones and ones with mutations, the search gives the brute-force answer,
// the witness check accepts the order in which a legal history really happened,
// accepts an order found by force, and accepts nothing else.
func TestCheckersAgree(t *testing.T) {
	var legal, illegal, refused int
	for seed := range uint64(10_000) {
		p := splitMix(seed)
		h := simulate(p, smallShape(p))
		if seed%3 == 0 {
			agree(t, seed, h, true)
			legal++
			continue
		}
		h = mutate(p, h)
		if agree(t, seed, h, false) {
			legal++
		} else {
			illegal++
		}
		if CheckWitness(KV(), h).Verdict == Illegal {
			refused++
		}
	}
	t.Logf("%d legal, %d illegal, %d witnesses refused", legal, illegal, refused)
	require.Greater(t, illegal, 1000)
	require.Greater(t, refused, illegal)
}

func smallShape(p pick) shape {
	return shape{clients: 1 + p(4), operations: 5 + p(9), keys: 1 + p(2), values: 2 + p(3), groups: 1 + p(2), lists: p(2) == 0}
}

// agree requires that all opinions on h are the same and returns it.
func agree(t require.TestingT, seed uint64, h *History[KVInput, KVOutput], trueOrder bool) bool {
	order, legal := bruteForce(h)
	r, err := Check(KV(), h, enough)
	require.NoError(t, err)
	require.Equal(t, verdictOf(legal), r.Verdict, "seed %d: search\n%s", seed, dump(h))
	plain := *KV() // without settling and without smaller parts
	plain.Settle, plain.Narrow, plain.Hash = nil, nil, nil
	r, err = Check(&plain, h, enough)
	require.NoError(t, err)
	require.Equal(t, verdictOf(legal), r.Verdict, "seed %d: plain search\n%s", seed, dump(h))

	fast, slow := CheckWitness(KV(), h), CheckWitness(withoutReplayer(), h)
	require.Equal(t, slow, fast, "seed %d: replayer and model differ\n%s", seed, dump(h))
	if fast.Verdict == Legal {
		require.True(t, legal, "seed %d: witness accepted\n%s", seed, dump(h))
		requireExplains(t, h, fast.Order)
	} else {
		require.NotEmpty(t, fast.Violation.Text)
	}
	if trueOrder {
		require.Equal(t, Legal, fast.Verdict, "seed %d: true order refused: %+v\n%s", seed, fast.Violation, dump(h))
	}
	if legal {
		placed := CheckWitness(KV(), placeAll(h, order))
		require.Equal(t, Legal, placed.Verdict, "seed %d: order found by force refused: %+v\n%s", seed, placed.Violation, dump(h))
	}
	return legal
}

func verdictOf(legal bool) Verdict {
	if legal {
		return Legal
	}
	return Illegal
}

func withoutReplayer() *Model[KVState, KVInput, KVOutput] {
	m := KV()
	m.Replayer = nil
	return m
}

// placeAll gives the operations the positions of an order.
func placeAll(h *History[KVInput, KVOutput], order []int) *History[KVInput, KVOutput] {
	ops := append([]Operation[KVInput, KVOutput](nil), h.Operations()...)
	for i := range ops {
		ops[i].At = Position{}
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

// requireExplains replays an accepted order on the toy store and compares every
// pair of operations with real time.
func requireExplains(t require.TestingT, h *History[KVInput, KVOutput], order []int32) {
	b := brute{ops: h.Operations()}
	s, stood := toyStore{}, uint64(0)
	for _, i := range order {
		require.True(t, b.mayStand(stood, int(i)))
		require.True(t, b.gave(int(i), s.do(b.ops[i].Input)))
		stood |= 1 << i
	}
	require.True(t, b.complete(stood))
}

func dump(h *History[KVInput, KVOutput]) string {
	text := ""
	for i := range h.Operations() {
		op := &h.Operations()[i]
		text += describe(KV(), op) + " at " + describePosition(op.At) + "\n"
	}
	return text
}

// TestCheckersAgreeRapid is the same over histories that rapid draws and, should
// one fail, shrinks.
func TestCheckersAgreeRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
		h := simulate(p, shape{clients: 3, operations: 6, keys: 2, values: 3, groups: 1, lists: true})
		agree(t, 0, h, true)
		agree(t, 0, mutate(p, h), false)
	})
}
