package tour

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
)

// mostLines is how long a scene may be.
const mostLines = 25

// Each scene plays: the run breaks nothing, all that is to be told happens, in few lines, and the same
// each time.
func TestEachSceneTellsWhatItIsAbout(t *testing.T) {
	for _, s := range All() {
		told := s.Play(cell.Run)
		require.Nil(t, told.Result.Breach, "%s", s.Name)
		require.Empty(t, told.Untold, "%s:\n%s", s.Name, strings.Join(told.Lines, "\n"))
		require.LessOrEqual(t, len(told.Lines), mostLines, "%s:\n%s", s.Name, strings.Join(told.Lines, "\n"))
	}
	again, _ := Named("duel")
	require.Equal(t, again.Play(cell.Run).Lines, again.Play(cell.Run).Lines)
}

func TestScenesAreWholeAndNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All() {
		require.False(t, seen[s.Name], s.Name)
		seen[s.Name] = true
		for _, q := range s.Questions {
			require.True(t, strings.HasSuffix(q.Ask, "?"), "%s: %s", s.Name, q.Ask)
			require.NotEmpty(t, q.Answer, s.Name)
		}
		require.NotEmpty(t, s.Read, s.Name)
		for _, file := range s.Read {
			_, err := os.Stat(filepath.Join("../..", file))
			require.NoError(t, err, "%s names a file to read", s.Name)
		}
	}
	require.Len(t, seen, 9)
	_, ok := Named("no such")
	require.False(t, ok)
}
