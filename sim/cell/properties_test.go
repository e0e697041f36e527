package cell

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// DESIGN.md has a row for each property that is checked, in the same order, and names only files
// that exist.
func TestTheDesignListsTheProperties(t *testing.T) {
	design, err := os.ReadFile("../../DESIGN.md")
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(design), "| id | property | checked by |\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")

	var want, listed []string
	for _, p := range Properties() {
		if p.By != "" && !strings.HasPrefix(p.ID, "I-") {
			want = append(want, p.ID)
		}
	}
	for _, row := range strings.Split(table, "\n")[1:] {
		cells := strings.Split(row, " | ")
		require.Len(t, cells, 3, row)
		id := strings.TrimPrefix(cells[0], "| ")
		listed = append(listed, id)
		dir := ""
		for _, file := range regexp.MustCompile(`(sim/(?:[a-z]+/)+)?([a-z_]+\.go)`).FindAllStringSubmatch(cells[2], -1) {
			if file[1] != "" {
				dir = "../../" + file[1]
			}
			require.FileExists(t, dir+file[2], id)
		}
	}
	require.Equal(t, want, listed)
}

// The numbers of properties are cited by checkers, failures and planted bugs.
func TestPropertiesAreNumberedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Properties() {
		require.False(t, seen[p.ID], p.ID)
		require.NotEmpty(t, p.Help, p.ID)
		seen[p.ID] = true
	}
	for _, id := range []string{"S1", "S2", "S3", "S4", "S5", "S6", "S7", "S7b", "S17", "S18", "L1", "L2", "I-W1", "D1"} {
		require.True(t, seen[id], id)
	}
	require.Len(t, seen, 25)
}
