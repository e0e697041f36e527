package cell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryDemandedSituationIsCounted(t *testing.T) {
	require.Len(t, demanded, 29)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(demanded))), 29, "each stands once")
	counted := map[string]bool{}
	for _, s := range Situations() {
		require.False(t, counted[s.Name], "%s is counted twice", s.Name)
		counted[s.Name] = true
		require.Equal(t, Demanded(s.Name), s.Demanded)
	}
	for _, name := range demanded {
		require.True(t, counted[name], name)
	}
}
