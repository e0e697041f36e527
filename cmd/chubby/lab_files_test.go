package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// labMeasurements are commands of the lab that write files.
var labMeasurements = []string{
	"lab matrix setpx --seeds 1 --faults pause --resources no-check",
	"lab sweep pause setpx --seeds 1",
}

// full is a file that can be opened, and not written: the disk is full.
const full = "/dev/full"

// The results of hours are printed although their file could not be written.
func TestTheLabPrintsWhatItsFilesCannotHold(t *testing.T) {
	if _, err := os.Stat(full); err != nil {
		t.Skipf("it needs /dev/full, which Linux has, and so the machines of .ci/run: %v", err)
	}
	for _, line := range labMeasurements {
		for _, flag := range []string{"--csv", "--svg"} {
			w := newWorld()
			require.Equal(t, cli.ExitInternal, w.do(append(strings.Fields(line), flag, full)...), line)
			require.Contains(t, w.out.String(), "setpx", line)
			require.Contains(t, w.err.String(), "a file is missing or not complete: write /dev/full: ", line)

			require.Equal(t, cli.ExitInternal, w.do(append(strings.Fields(line), flag, full, "-o", "json")...), line)
			var r struct{ Exit int }
			require.NoError(t, json.Unmarshal(w.out.Bytes(), &r), line)
			require.Equal(t, cli.ExitInternal, r.Exit, line)
		}
	}
}

// A file without a name, as from an unset shell variable, and one that would be written twice are refused first.
func TestTheFilesOfTheLabAreCheckedFirst(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	require.NoError(t, os.WriteFile(file, []byte("kept"), 0o600))
	require.NoError(t, os.Link(file, filepath.Join(dir, "b")))
	for _, line := range labMeasurements {
		for _, c := range []struct {
			flags []string
			said  string
		}{
			{[]string{"--csv", ""}, "--csv: no file is named"},
			{[]string{"--svg", ""}, "--svg: no file is named"},
			{[]string{"--csv", dir}, "a directory; name a file"},
			{[]string{"--csv", file, "--svg", filepath.Join(dir, "none", "p.svg")}, "no such file or directory"},
			{[]string{"--csv", file, "--svg", filepath.Join(dir, ".", "a")}, "the same file as --csv"},
			{[]string{"--csv", file, "--svg", filepath.Join(dir, "b")}, "the same file as --csv"},
			{[]string{"--csv", filepath.Join(dir, "new"), "--svg", filepath.Join(dir, "new")}, "the same file as --csv"},
		} {
			w := newWorld()
			require.Equal(t, cli.ExitUsage, w.do(append(strings.Fields(line), c.flags...)...), "%s %v", line, c.flags)
			require.Contains(t, w.err.String(), c.said)
			require.Empty(t, w.out.String())
		}
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "kept", string(text))
	require.NoFileExists(t, filepath.Join(dir, "new"))
}
