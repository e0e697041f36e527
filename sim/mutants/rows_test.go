package mutants

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every row has a diff or a reason, so that no bug is dropped silently. A row and the header of its diff agree.
func TestEveryRowHasADiffOrAReasonAndEveryDiffARow(t *testing.T) {
	root, err := Root(".")
	require.NoError(t, err)
	all, err := Load(root)
	require.NoError(t, err)
	diffs := map[string]Mutant{}
	for _, m := range all {
		diffs[m.ID] = m
	}
	seen := map[string]bool{}
	for _, r := range Rows() {
		require.False(t, seen[r.ID], "row %s stands twice", r.ID)
		seen[r.ID] = true
		require.NotEmpty(t, r.Title, "row %s", r.ID)
		require.Contains(t, []string{"A", "B", "C"}, r.Priority, "row %s", r.ID)
		m, planted := diffs[r.ID]
		require.Equal(t, planted, r.IsPlanted(), "row %s: a diff or a reason, one of the two", r.ID)
		if planted {
			require.Equal(t, m.Title, r.Title, "row %s and its diff", r.ID)
			require.Equal(t, m.Priority, r.Priority, "row %s and its diff", r.ID)
			require.Equal(t, m.Control, r.Group == GroupControls, "row %s and its diff", r.ID)
		}
	}
	for id := range diffs {
		require.True(t, seen[id], "%s.diff has no row", id)
	}
}

// Rows has all rows of each group of the catalogue.
func TestTheRowsOfTheCatalogueAreComplete(t *testing.T) {
	want := map[string]int{
		GroupPaxosCore: 25, GroupDisk: 25, GroupSnapshots: 13, GroupMembership: 9,
		GroupLease: 17, GroupEpoch: 13, GroupLocks: 21, GroupSessions: 16,
		GroupFailover: 11, GroupCache: 13, GroupNamespace: 16, GroupLiveness: 11,
	}
	have := map[string]int{}
	for _, r := range Rows() {
		have[r.Group]++
	}
	for group, n := range want {
		require.Equal(t, n, have[group], group)
	}
}

// A bug that a hunt may miss must not have priority A: otherwise a campaign could fail by bad luck.
func TestABugThatAHuntMayMissHasNotPriorityA(t *testing.T) {
	weak := 0
	for _, r := range Rows() {
		if !r.IsPlanted() || r.Note == "" {
			continue
		}
		weak++
		require.NotEqual(t, "A", r.Priority, "%s: %s", r.ID, r.Note)
	}
	require.Positive(t, weak)
}
