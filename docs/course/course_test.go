package course

import (
	"encoding/json"
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

// As the README says: each exercise fails as it is, first at the seed that is named, and its test
// passes with the hole closed.
func TestEachExerciseFailsUntilItIsSolved(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	all := exercise.FindAllStringSubmatch(string(text), -1)
	require.Len(t, all, 5)
	solved := map[string]string{}
	var packages []string
	for _, m := range all {
		packages = append(packages, m[1])
		solutions, err := filepath.Glob(filepath.Join("testdata", m[2], "*.go"))
		require.NoError(t, err)
		require.Len(t, solutions, 1, m[2])
		for _, path := range []string{filepath.Join(m[2], filepath.Base(solutions[0])), solutions[0]} {
			_, err := os.Stat(path)
			require.NoError(t, err)
		}
		from, err := filepath.Abs(filepath.Join(m[2], filepath.Base(solutions[0])))
		require.NoError(t, err)
		solved[from], err = filepath.Abs(solutions[0])
		require.NoError(t, err)
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
	said, err = tests(t, append([]string{"-overlay", overlay}, packages...))
	require.NoError(t, err, said)
	require.Equal(t, len(all), strings.Count(said, "ok  \tgithub.com/chubbycell/chubby/docs/course/"), said)
}

// tests runs go test from the top of the tree.
func tests(t *testing.T, args []string) (said string, err error) {
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-count=1", "-tags", "course"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
