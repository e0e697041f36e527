package linearizability

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// longHistory has many more operations than a word has bits, a dozen of them of unknown outcome, and mostly a few wrong
// answers.
func longHistory(p pick) *History[KVInput, KVOutput] {
	store := map[string]string{}
	values, lies, lost := 2+p(4), p(3), 8+p(40)
	return recordLosing(p, lost, 80+p(200), 2+p(6), func() KVInput {
		value := fmt.Sprint(p(values))
		return [...]KVInput{Get("r"), Get("r"), Put("r", value), CompareAndSet("r", fmt.Sprint(p(values)), value)}[p(4)]
	}, func(in KVInput, _ int64) (KVOutput, bool) {
		out := benchApply(store, in)
		if lies > 0 && p(100) == 0 {
			lies--
			out.Value, out.Found = fmt.Sprint(p(values)), true
		}
		return out, false
	})
}

// TestLongHistoriesAgreeWithPorcupine compares the search with Porcupine on histories that are too long for brute
// force: their sets of placed operations have several words, and there are many similar configurations.
func TestLongHistoriesAgreeWithPorcupine(t *testing.T) {
	counts := map[Verdict]int{}
	for seed := range uint64(400) {
		h := longHistory(splitMix(seed))
		for _, plain := range []bool{false, true} {
			m := Register()
			if plain { // more open operations, and all states have the same hash
				m.Settle, m.Hash = nil, nil
			}
			second, err := Check(m, h, Budget{Steps: 200_000, Porcupine: true})
			require.NoError(t, err)
			counts[second.Verdict]++
			if second.Verdict == Undecided {
				continue
			}
			r, err := Check(m, h, Budget{Steps: 2_000_000})
			require.NoError(t, err)
			require.Equal(t, second.Verdict, r.Verdict, "seed %d, plain %v", seed, plain)
		}
	}
	t.Log(counts)
	require.Greater(t, counts[Legal], 100)
	require.Greater(t, counts[Illegal], 100)
}
