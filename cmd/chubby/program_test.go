package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Outside of the source tree a name that is misspelled is said to be no file; one that is there is said to need
// the tree.
func TestASideThatCannotBeBuiltSaysWhy(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	_, err := program(t.Context(), dir, "setings.txt")
	require.ErrorContains(t, err, `"setings.txt" is neither a setting (key=value) nor a file; if it is a commit: `)
	diff := filepath.Join(dir, "x.diff")
	require.NoError(t, os.WriteFile(diff, nil, 0o644))
	_, err = program(t.Context(), dir, diff)
	require.ErrorContains(t, err, "x.diff is to be built: ")
	require.ErrorContains(t, err, "is not inside the source tree")
	require.NotContains(t, err.Error(), "planted bug", "a side is none")
}
