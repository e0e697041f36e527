package simcmd

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// file writes a file and returns its path.
func file(t *testing.T, name, text string, mode os.FileMode) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
	return path
}

// Compare runs a side's program once for each seed, with the settings of the side.
func TestASideIsAnotherProgram(t *testing.T) {
	program := file(t, "other", "#!/bin/sh\n[ \"$1 $2 $4 $5\" = \"sim measure replicas=3 window=1\" ] || exit 9\n"+
		"echo '{\"seed\":'$3',\"values\":{\"violation\":[0],\"calls\":[9]}}'\n", 0o755)
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("sim", "compare", "this", program+",window=1", "--both", "replicas=3", "--seeds", "3", "-o", "json"), w.err.String())
	var r comparedSides
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &r))
	require.Equal(t, 3, r.Pairs)
	require.Equal(t, []string{"replicas=3", "window=1"}, r.B.Settings)
	for _, c := range r.Columns {
		if c.Name == "calls/s" {
			require.Equal(t, 9.0, c.B.Value)
			require.Equal(t, 3, c.Values[0])
		}
	}
	old := file(t, "old", "#!/bin/sh\necho 'chubby: unknown command \"measure\" for \"chubby sim\"' >&2\nexit 2\n", 0o755)
	require.Equal(t, cli.ExitUsage, w.do("sim", "compare", "this", old, "--seeds", "1"))
	require.Contains(t, w.err.String(), "it was built before programs could be compared")
}

func TestASideIsAFileOfSettings(t *testing.T) {
	settings := file(t, "settings", "# both kinds\nreplicas=3 faults=crash,kill # flags\nwindow=4, heartbeat=50ms\n", 0o644)
	a := newWorld()
	s, err := a.parseSide(settings+",window=1", []string{"clients=2"})
	require.NoError(t, err)
	require.Equal(t, []string{"clients=2", "replicas=3", "faults=crash,kill", "window=4", "heartbeat=50ms", "window=1"}, s.settings)
	require.Equal(t, []string{"window=4", "heartbeat=50ms", "window=1"}, s.options.Tune, "the last one holds")
	require.Equal(t, []string{"crash", "kill"}, s.options.Faults)
	require.Equal(t, 2, s.options.Clients)
}

// An empty side, as from an unset shell variable, is refused. If it meant this program, the comparison would say nothing.
func TestAnEmptySideIsRefused(t *testing.T) {
	for _, empty := range []string{"", " ", ","} {
		w := newWorld()
		require.Equal(t, cli.ExitUsage, w.do("sim", "compare", empty, "this", "--seeds", "1"), "%q", empty)
		require.Contains(t, w.err.String(), "is no side")
	}
}

// The error of a wrong setting names it once.
func TestAWrongSettingIsNamedOnce(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitUsage, w.do("sim", "compare", "this", "heartbeat=abc", "--seeds", "1"))
	require.Equal(t, 1, strings.Count(w.err.String(), "heartbeat=abc: "), w.err.String())
}

// If the program of a side dies, for instance because memory is short, the seeds before are reported.
func TestAProgramThatDiesLeavesTheSeedsBefore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs a shell, which the machines of .ci/run have")
	}
	const text = `#!/bin/sh
if [ "$3" -ge 3 ]; then kill -9 $$; fi
echo '{"seed":'$3',"values":{"violation":[0]}}'
`
	program := file(t, "program", text, 0o755)
	w := newWorld()
	require.Equal(t, cli.ExitUsage, w.do("sim", "compare", program, "this", "--seeds", "9", "--jobs", "1"))
	require.Contains(t, w.out.String(), "2 paired seeds")
	require.Contains(t, w.err.String(), program+": seed 3 cannot be measured: its process ended by a signal: killed")
	require.NotContains(t, w.err.String(), "built before")

	require.Equal(t, cli.ExitUsage, w.do("sim", "compare", program, "this", "--seeds", "9", "--jobs", "1", "-o", "json"))
	var r comparedSides
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &r))
	require.Equal(t, []int{2, cli.ExitUsage}, []int{r.Pairs, r.Exit})

	require.Equal(t, cli.ExitUsage, w.do("sim", "compare", program, "this", "--from", "3", "--jobs", "1"))
	require.Empty(t, w.out.String())
}

func TestFilesOfAComparison(t *testing.T) {
	dir := t.TempDir()
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("sim", "compare", "this", "window=1", "--seeds", "2", "--out", dir))
	table, err := os.ReadFile(filepath.Join(dir, "compare.csv"))
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(table), "\n"), "a row for each seed")
	picture, err := os.Open(filepath.Join(dir, "compare.svg"))
	require.NoError(t, err)
	defer picture.Close()
	for d := xml.NewDecoder(picture); err == nil; {
		_, err = d.Token()
	}
	require.True(t, errors.Is(err, io.EOF), "%v", err)
}
