package simcmd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/cli/clitest"
	"github.com/chubbycell/chubby/sim/cell"
)

const project = "../.."

// projectAt is the absolute path of project, for tests that change directory.
var projectAt, _ = filepath.Abs(project)

func TestTheCommandsOfTheDocumentsAreUnderstood(t *testing.T) {
	for _, line := range clitest.Commands(t, clitest.Documents(t, project)) {
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		switch {
		case !strings.HasPrefix(line, "sim"), strings.HasPrefix(line, "sim mutants"):
			continue // simcmd does not have this command
		case strings.HasPrefix(line, "sim merge"):
			args = []string{"sim", "merge", "shard-1.json", "shard-2.json"}
		}
		t.Run(line, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if strings.HasPrefix(line, "sim merge") {
				keep(t, sharded("clean"), args[2], "sim --seeds 20 --shard 1/2 -o json")
				keep(t, sharded("clean"), args[3], "sim --seeds 20 --shard 2/2 -o json")
			}
			w := newWorld()
			w.caching = func(o cell.CachingOptions) caching {
				o.Replicas, o.Clients = 1, min(o.Clients, 10) // small, because TestCachingIsMeasured tests the numbers
				return newCaching(o)
			}
			require.Equal(t, cli.ExitClean, w.do(args...), "%s", w.err.String())
		})
	}
}

// The numbers in the examples are of one commit. When histories change, those that select no line any more are replaced.
func TestTheTracesOfTheDocumentsHaveLines(t *testing.T) {
	some := 0
	for _, line := range clitest.Commands(t, clitest.Documents(t, project)) {
		if !strings.HasPrefix(line, "sim --seed") || !strings.Contains(line, "--trace --") {
			continue
		}
		some++
		w := real()
		require.Equal(t, cli.ExitClean, w.do(strings.Fields(strings.ReplaceAll(line, "'", ""))...), "%s", w.err.String())
		require.NotContains(t, w.err.String(), "no line", line)
	}
	require.Greater(t, some, 3)
}
