package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const project = "../.."

// histories are one for each model.
var histories = map[string]string{
	"kv":   `{"client":1,"call":1,"return":2,"input":{"op":"put","key":"g/x","value":"a"}}`,
	"file": `{"client":1,"call":1,"return":2,"input":{"op":"open","path":"/f","create":"may","kind":"file"},"output":{"created":true}}`,
	"lock": `{"client":1,"call":1,"return":2,"input":{"op":"try","path":"/f","handle":"1","mode":"shared"},"output":{"gen":7}}`,
}

// commands are the command lines of the README, without comments and what the
// shell does with the output.
func commands(t *testing.T) []string {
	text, err := os.ReadFile(filepath.Join(project, "README.md"))
	require.NoError(t, err)
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^    go run ./cmd/chubby ([^#|>\n]*)`).FindAllStringSubmatch(string(text), -1) {
		all = append(all, strings.TrimSpace(m[1]))
	}
	require.NotEmpty(t, all)
	return all
}

func TestTheReadmesCommandsAreUnderstood(t *testing.T) {
	root, err := filepath.Abs(project)
	require.NoError(t, err)
	for _, line := range commands(t) {
		t.Chdir(t.TempDir())
		args := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "sim mutants --report"):
			args = append(args, "--repo", plant(t), "A1")
		case strings.HasPrefix(line, "sim mutants"):
			args = append(args, "--list", "--repo", root) // the names are real; hunting takes minutes
		case strings.HasPrefix(line, "sim merge"):
			args = []string{"sim", "merge", "shard-1.json", "shard-2.json"}
			keep(t, sharded("clean"), args[2], "sim --seeds 20 --shard 1/2 -o json")
			keep(t, sharded("clean"), args[3], "sim --seeds 20 --shard 2/2 -o json")
		case strings.HasPrefix(line, "check"):
			require.NoError(t, os.WriteFile(args[len(args)-1], []byte(histories[args[2]]), 0o644))
		}
		w := newWorld()
		require.Equal(t, exitClean, w.do(args...), "%s: %s", line, w.err.String())
	}
}

func TestTheReadmesLinksLeadSomewhere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(project, "README.md"))
	require.NoError(t, err)
	links := regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, links)
	for _, m := range links {
		_, err := os.Stat(filepath.Join(project, m[1]))
		require.NoError(t, err, m[1])
	}
}

func TestHelpAndReadmeAgreeOnExitCodes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(project, "README.md"))
	require.NoError(t, err)
	w := newWorld()
	require.Equal(t, exitClean, w.do("sim", "--help"))
	codes := regexp.MustCompile(`(?m)^ +(\d+)  (\S.*)$`).FindAllStringSubmatch(w.out.String(), -1)
	require.Len(t, codes, 7)
	for _, c := range codes {
		require.Contains(t, string(text), "| "+c[1]+" | "+c[2]+" |")
	}
}
