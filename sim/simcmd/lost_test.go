package simcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// A run may take hours, and its directory may become unwritable meanwhile, for instance because the disk is full. The
// report is printed all the same.
func TestAReportIsPrintedThoughItsFilesCannotBeWritten(t *testing.T) {
	for line, c := range map[string]struct{ blocked, said string }{
		"sim --seed 3":                          {"seed-3", "seed 3: S1 broke"},
		"sim --seeds 2 --from 3":                {"seed-3", "hash of all seeds"},
		"sim experiment drift --at 1 --seeds 2": {"drift.csv", "95 % interval"},
		"sim compare this window=1 --seeds 2":   {"compare.csv", "2 paired seeds"},
		"sim experiment sessions --sessions 60 --lease 12s --for 5m --replicas 3": {"sessions.csv", "keepalives"},
	} {
		dir := t.TempDir()
		block(t, filepath.Join(dir, c.blocked))
		w := newWorld()
		w.result = outcomes["broken"]
		require.Equal(t, cli.ExitInternal, w.do(append(strings.Fields(line), "--out", dir)...), line)
		require.Contains(t, w.out.String(), c.said, line)
		require.Contains(t, w.err.String(), "--out: files are missing: ", line)
		require.Contains(t, w.err.String(), c.blocked, line)

		require.Equal(t, cli.ExitInternal, w.do(append(strings.Fields(line), "--out", dir, "-o", "json")...), line)
		var r struct{ Exit int }
		require.NoError(t, json.Unmarshal(w.out.Bytes(), &r), line)
		require.Equal(t, cli.ExitInternal, r.Exit, line)
	}
	dir, w := t.TempDir(), newWorld()
	block(t, filepath.Join(dir, "manifest.json"))
	require.Equal(t, cli.ExitInternal, w.do("sim", "--seeds", "2", "--out", dir, "-o", "junit"))
	require.Contains(t, w.out.String(), `<error message="exit code 5: files of --out are missing: `)
}

// block makes a file where a command makes the directory of a seed, and a directory where it writes a file.
func block(t *testing.T, path string) {
	if filepath.Ext(path) == "" {
		require.NoError(t, os.WriteFile(path, nil, 0o644))
	} else {
		require.NoError(t, os.Mkdir(path, 0o755))
	}
}
