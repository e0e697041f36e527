package torture

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A fault depends on the seed and on its number, not on how many were asked for before.
func TestAScheduleIsOfItsSeed(t *testing.T) {
	all := Faults(7, Kinds(), 3*time.Second, 0, 200)
	require.Equal(t, all, Faults(7, Kinds(), 3*time.Second, 0, 200))
	require.Equal(t, all[150:160], Faults(7, Kinds(), 3*time.Second, 150, 10))
	require.NotEqual(t, all, Faults(8, Kinds(), 3*time.Second, 0, 200))
	seen := map[Kind]int{}
	for _, f := range all {
		seen[f.Kind]++
		require.Positive(t, f.Wait)
		if f.Kind == Pause || f.Kind == Starve {
			require.Greater(t, f.For, masterLease)
		}
		if f.Kind == Silence {
			require.Greater(t, f.For, 3*time.Second, "the session must end")
		}
	}
	for _, k := range Kinds() {
		require.Greater(t, seen[k], 3, "%s", k)
	}
}

func TestEachKindComesFirst(t *testing.T) {
	for seed := range uint64(20) {
		seen := map[Kind]bool{}
		for _, f := range Faults(seed, Kinds(), time.Second, 0, len(Kinds())) {
			seen[f.Kind] = true
			require.NotEqual(t, Any, f.Who)
		}
		require.Len(t, seen, len(Kinds()))
	}
	for _, f := range Faults(1, []Kind{Pause}, time.Second, 0, 20) {
		require.Equal(t, Pause, f.Kind)
	}
}

func TestKindsAreRead(t *testing.T) {
	kinds, err := ParseKinds([]string{"kill", "cut", "kill"})
	require.NoError(t, err)
	require.Equal(t, []Kind{Kill, Cut}, kinds)
	_, err = ParseKinds([]string{"fire"})
	require.ErrorContains(t, err, `--faults "fire": give some of kill,power,`)
}

// The report says while which fault the longest gap was: also while none was.
func TestAFaultIsToldInWords(t *testing.T) {
	require.Equal(t, "no fault", Fault{Kind: "no fault"}.String())
	require.Equal(t, "cut master for 1.5s, in", Fault{Kind: "cut", Who: "master", For: 1500 * time.Millisecond, Way: In}.String())
}
