package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// sheetQuestion is a command of the lab sheet with what its output has to say, which readers do not see.
var sheetQuestion = regexp.MustCompile(`(?m)^    chubby (lab .*)\n<!-- says: (.*) -->$`)

// Each question of the lab sheet has a command whose output answers it.
func TestTheLabSheetIsAnswered(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(project, "docs", "course", "lab.md"))
	require.NoError(t, err)
	all := sheetQuestion.FindAllStringSubmatch(string(text), -1)
	require.Len(t, all, 9)
	require.Equal(t, len(all), strings.Count(string(text), "\n    chubby "), "a command without what it says")
	require.Equal(t, len(all), strings.Count(string(text), "<details>"), "a question without an answer")
	for _, m := range all {
		w := newWorld()
		require.Equal(t, cli.ExitClean, w.do(strings.Fields(m[1])...), "%s: %s", m[1], w.err.String())
		require.Contains(t, w.out.String(), m[2], m[1])
	}
}

// labLine is a command of docs/lab.md that takes no more than a second or two.
var labLine = regexp.MustCompile(`(?m)^    chubby (lab (?:run|lesson|sweep).*)$`)

func TestTheCommandsOfTheLabsPageAreUnderstood(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(project, "docs", "lab.md"))
	require.NoError(t, err)
	all := labLine.FindAllStringSubmatch(string(text), -1)
	require.GreaterOrEqual(t, len(all), 8)
	t.Chdir(t.TempDir())
	for _, m := range all {
		w := newWorld()
		require.Equal(t, cli.ExitClean, w.do(strings.Fields(m[1])...), "%s: %s", m[1], w.err.String())
		require.NotEmpty(t, w.out.String(), m[1])
	}
}
