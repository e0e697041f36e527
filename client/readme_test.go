package client_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README shows a lock with a sequencer. What it shows is compiled, and run by
// ExampleHandle_CheckSequencer.
func TestTheReadmeShowsWhatRuns(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(source), "\nfunc lead(")
	body, _, found := strings.Cut(rest, "\n}\n")
	require.True(t, found)
	code := "func lead(" + body + "\n}\n"
	require.LessOrEqual(t, strings.Count(code, "\n"), 15)

	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	shown := "    " + strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n    ")
	shown = strings.ReplaceAll(shown, "\t", "    ")
	require.True(t, strings.Contains(string(readme), shown), "this is not in the README:\n%s", shown)
}
