package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/cli/clitest"
)

const project = "../.."

// histories are one for each model.
var histories = map[string]string{
	"kv":   `{"client":1,"call":1,"return":2,"input":{"op":"put","key":"g/x","value":"a"}}`,
	"file": `{"client":1,"call":1,"return":2,"input":{"op":"open","path":"/f","create":"may","kind":"file"},"output":{"created":true}}`,
	"cas":  "{:process 0, :type :invoke, :f :write, :value 1}\n{:process 0, :type :ok, :f :write, :value 1}\n",
	"set":  "{:process 0, :type :invoke, :f :add, :value 1}\n{:process 0, :type :ok, :f :add, :value 1}\n",
	"lock": `{"client":1,"call":1,"return":2,"input":{"op":"try","path":"/f","handle":"1","mode":"shared"},"output":{"gen":7}}`,
}

func TestTheCommandsOfTheDocumentsAreUnderstood(t *testing.T) {
	root, err := filepath.Abs(project)
	require.NoError(t, err)
	for _, line := range clitest.Commands(t, clitest.Documents(t, project)) {
		t.Chdir(t.TempDir())
		args := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "sim mutants --report"):
			args = append(args, "--repo", plant(t), "A1")
		case strings.HasPrefix(line, "sim mutants"):
			args = append(args, "--list", "--repo", root) // the names are real; hunting takes minutes
		case strings.HasPrefix(line, "sim"):
			continue // package simcmd runs them with a simulator that costs nothing
		case strings.HasPrefix(line, "check"):
			require.NoError(t, os.WriteFile(args[len(args)-1], []byte(histories[args[2]]), 0o644))
		}
		w := newWorld()
		require.Equal(t, cli.ExitClean, w.do(args...), "%s: %s", line, w.err.String())
		t.Chdir(root)
	}
}

func TestTheLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	for name, text := range clitest.Documents(t, project) {
		for _, m := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(text, -1) {
			path, _, _ := strings.Cut(m[1], "#")
			_, err := os.Stat(filepath.Join(project, filepath.Dir(name), path))
			require.NoError(t, err, "%s: %s", name, m[1])
		}
	}
}

func TestHelpAndTheDocumentsAgreeOnExitCodes(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("sim", "--help"))
	codes := regexp.MustCompile(`(?m)^ +(\d+)  (\S.*)$`).FindAllStringSubmatch(w.out.String(), -1)
	require.Len(t, codes, 7)
	for _, c := range codes {
		require.Contains(t, clitest.Documents(t, project)["docs/simulator.md"], "| "+c[1]+" | "+c[2]+" |")
	}
}

// The planted bug that the README applies is one that git can apply.
func TestTheReadmesBugIsThere(t *testing.T) {
	m := regexp.MustCompile(`(?m)^    git apply (\S+)`).FindStringSubmatch(clitest.Documents(t, project)["README.md"])
	require.NotNil(t, m)
	require.FileExists(t, filepath.Join(project, m[1])) // sim/mutants holds it to its file
}

// Each decision says the same four things and is in the index, once.
func TestDecisionsAreWholeAndListed(t *testing.T) {
	all := clitest.Documents(t, project)
	index := all["docs/decisions/README.md"]
	for name, text := range all {
		dir, file := filepath.Split(name)
		if dir != "docs/decisions/" || file == "README.md" {
			continue
		}
		require.Equal(t, 1, strings.Count(index, "("+file+")"), name)
		title, _, _ := strings.Cut(text, "\n")
		require.Contains(t, index, "["+file[:4]+"]("+file+") | "+strings.TrimPrefix(title, "# "+file[:4]+". ")+" |")
		for _, part := range []string{"**Context.** ", "**Choice.** ", "**Rejected.** ", "**How it is tested.** "} {
			require.Equal(t, 1, strings.Count(text, part), "%s: %s", name, part)
		}
	}
}

// A test that a document names exists: what holds a bug or a decision must be findable.
func TestTheTestsThatDocumentsNameExist(t *testing.T) {
	there := map[string]bool{}
	err := filepath.WalkDir(project, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
		return err
	})
	require.NoError(t, err)
	for name, text := range clitest.Documents(t, project) {
		for _, test := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(text, -1) {
			require.True(t, there[test], "%s names %s", name, test)
		}
	}
}
