package simcmd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

const project = "../.."

// commands are the command lines of the simulator in the documents, without comments and
// what the shell does with the output.
func commands(t *testing.T) []string {
	var all []string
	docs, err := filepath.Glob(filepath.Join(project, "docs", "*.md"))
	require.NoError(t, err)
	for _, file := range append(docs, filepath.Join(project, "README.md"), filepath.Join(project, "DESIGN.md")) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^ {4,}go run ./cmd/chubby (sim[^#|>\n]*)`).FindAllStringSubmatch(string(text), -1) {
			all = append(all, strings.TrimSpace(m[1]))
		}
	}
	slices.Sort(all)
	require.NotEmpty(t, all)
	return slices.Compact(all)
}

func TestTheCommandsOfTheDocumentsAreUnderstood(t *testing.T) {
	for _, line := range commands(t) {
		args := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "sim mutants"):
			continue // a command of chubby alone
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
			require.Equal(t, cli.ExitClean, w.do(args...), "%s", w.err.String())
		})
	}
}
