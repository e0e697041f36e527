package course

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// exercise is a section of README.md: where it is, and the seed that it names.
var exercise = regexp.MustCompile(`(?m)^    go test -tags course (\./docs/course/(\w+)) +# seed (\d+) breaks (\w+)$`)

// half is a wrong solution in testdata.
var half = regexp.MustCompile(`(?m)^\tt\.Run\("(\w+)"`)

var whole = flag.Bool("whole", false, "try all exercises and not the first alone, as .ci/run does: some forty seconds more")

// As the README says: each exercise fails as it is, first at the seed that is named; its test passes with the hole
// closed, and fails where only half of it is.
func TestEachExerciseFailsUntilItIsSolved(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	all := exercise.FindAllStringSubmatch(string(text), -1)
	require.Len(t, all, 5)
	if !*whole {
		all = all[:1]
	}
	solved := map[string]string{} // the file that stands in for one of the tree, or beside these
	var packages, halves []string
	for _, m := range all {
		packages = append(packages, m[1])
		files, err := filepath.Glob(filepath.Join("testdata", m[2], "*.go"))
		require.NoError(t, err)
		require.Len(t, files, 2, m[2])
		for _, path := range files {
			inPlace := filepath.Join(m[2], filepath.Base(path))
			from, err := filepath.Abs(inPlace)
			require.NoError(t, err)
			solved[from], err = filepath.Abs(path)
			require.NoError(t, err)
			if filepath.Base(path) != "halves_test.go" {
				require.FileExists(t, inPlace)
				continue
			}
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			names := half.FindAllStringSubmatch(string(source), -1)
			require.GreaterOrEqual(t, len(names), 2, m[2])
			for _, name := range names {
				halves = append(halves, "TestHalf/"+name[1])
			}
		}
	}
	said, err := tests(t, packages)
	require.Error(t, err)
	for _, m := range all {
		require.Contains(t, said, "seed "+m[3]+": "+m[4]+" broke: ", m[2])
		require.Contains(t, said, "go test -tags course "+m[1]+" -args -seed="+m[3])
	}
	require.Equal(t, len(all), strings.Count(said, "FAIL\tgithub.com/chubbycell/chubby/docs/course/"))

	list, err := json.Marshal(map[string]any{"Replace": solved})
	require.NoError(t, err)
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(overlay, list, 0o644))
	said, err = tests(t, append([]string{"-v", "-overlay", overlay}, packages...))
	require.Error(t, err)
	require.Equal(t, len(all), strings.Count(said, "\n--- PASS: Test"), said)
	require.Equal(t, len(all), strings.Count(said, "\n--- FAIL: TestHalf "), said)
	for _, name := range halves {
		require.Contains(t, said, "    --- FAIL: "+name+" ", "half of a solution passes")
	}
	require.Equal(t, len(halves), strings.Count(said, "S1 broke: ")+strings.Count(said, "LEASE broke: ")+strings.Count(said, "FENCE broke: "), said)
}

// tests runs go test from the top of the tree.
func tests(t *testing.T, args []string) (said string, err error) {
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-count=1", "-vet=off", "-ldflags=-s -w", "-tags", "course"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
