package cell

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// DESIGN.md has a row for each property that is checked, in the same order, and names
// files that there are.
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
		for _, file := range regexp.MustCompile(`[a-z_]+\.go`).FindAllString(cells[2], -1) {
			require.FileExists(t, file, id)
		}
	}
	require.Equal(t, want, listed)
}
