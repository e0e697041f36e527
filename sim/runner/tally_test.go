package runner

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
)

func tallied(seed uint64, ops int, counted bool) cell.Result {
	return cell.Result{
		Seed: seed, Hash: "0a", Counted: counted, Simulated: 90 * time.Second, Events: 100, Ops: ops, Hot: ops / 4, Unknown: 10,
		Failovers: 3, Recovery: time.Duration(seed) * time.Second, Partition: 10, Decided: 9,
		Faults:    []cell.Number{{Name: "pause", Value: 1}, {Name: "crash", Value: seed - 1}},
		Sometimes: []cell.Number{{Name: "window-full", Value: 0}, {Name: "catch-up", Value: 5}},
	}
}

func TestTheTableSaysItAll(t *testing.T) {
	var tally Tally
	first := tallied(1, 500, true)
	first.Failovers--
	tally.Add(first)
	second := tallied(2, 900, true)
	second.Unknown, second.Failovers = 12, 4
	tally.Add(second)
	tally.Add(tallied(3, 100, false))
	fourth := tallied(4, 700, true)
	fourth.Unknown = 11
	tally.Add(fourth)
	broken := tallied(5, 50, false)
	broken.Breach = &cell.Breach{ID: "I-A3", Text: "two values"}
	tally.Add(broken)
	crashed := tallied(6, 50, false)
	crashed.Breach = &cell.Breach{Text: "nil map"}
	tally.Add(crashed)
	undecided := tallied(7, 800, true)
	undecided.Undecided, undecided.Unknown = true, 13
	tally.Add(undecided)

	totals := tally.Totals(10 * time.Second)
	var b strings.Builder
	require.NoError(t, totals.WriteTable(&b, true))
	require.Equal(t, `seeds                4 counted, 1 idle, 2 failed
verdicts             I-A3 broken in 1 seed, crashed in 1 seed, undecided in 1 seed
simulated time       10m30s in 10s, 63 times real time
events               700, 70 per second
operations           3100 answered, 25.0 % on the contended row
  per counted seed   median 700, minimum 500
unknown outcomes     76, 2.4 % of all calls
  per counted seed   median 11, minimum 10
fail-overs           21
  per counted seed   median 3, minimum 2
fault strikes        28, of 2 kinds
  per counted seed   median 2, minimum 1
recovery             last call ended after healing: median 3s, maximum 7s
histories            90.0 % of 70 partitions also decided by Porcupine
hash of all seeds    `+totals.Hash+`

faults                          times    seeds
  crash                            21        6
  pause                             7        7

sometimes                       times    seeds
  window-full *                     0        0
  catch-up                         35        7
`, b.String())

	var short strings.Builder
	require.NoError(t, totals.WriteTable(&short, false))
	var want strings.Builder
	numbers, _, _ := strings.Cut(b.String(), "\nfaults")
	for line := range strings.Lines(numbers) {
		if !strings.HasPrefix(line, "  per counted seed") {
			want.WriteString(line)
		}
	}
	require.Equal(t, want.String(), short.String())
}

// A table of one seed has no medians and minima: they would be the number itself.
func TestATableOfOneSeedHasNoMedians(t *testing.T) {
	var tally Tally
	tally.Add(tallied(1, 500, true))
	totals := tally.Totals(time.Second)
	var b strings.Builder
	require.NoError(t, totals.WriteTable(&b, true))
	require.NotContains(t, b.String(), "median 500")
	require.Contains(t, b.String(), "sometimes")
}

func TestATableOfNothing(t *testing.T) {
	var tally Tally
	totals := tally.Totals(0)
	var b strings.Builder
	require.NoError(t, totals.WriteTable(&b, true))
	require.Contains(t, b.String(), "0 counted, 0 idle, 0 failed")
	require.Contains(t, b.String(), "histories            none of 0 partitions")
	text, err := json.Marshal(totals)
	require.NoError(t, err)
	require.NotContains(t, string(text), "null", "lists are empty in JSON, never null")
}

func TestTheHashOfAllSeedsKnowsOrderNumberAndHash(t *testing.T) {
	hash := func(results ...cell.Result) string {
		var tally Tally
		for _, r := range results {
			tally.Add(r)
		}
		return tally.Totals(time.Second).Hash
	}
	a, b := cell.Result{Seed: 1, Hash: "0a"}, cell.Result{Seed: 2, Hash: "0b"}
	all := hash(a, b)
	require.Equal(t, all, hash(a, b))
	require.NotEqual(t, all, hash(b, a))
	require.NotEqual(t, all, hash(a))
	require.NotEqual(t, all, hash(a, cell.Result{Seed: 3, Hash: "0b"}))
	require.NotEqual(t, all, hash(a, cell.Result{Seed: 2, Hash: "0c"}))
}
