package tour

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
)

// mostLines is how long a scene may be.
const mostLines = 30

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

// The reading of a line is that of the machine's clock at the line's own instant, also where the line is an opinion or
// a record: a clock that runs right is ahead of true time by the same all along.
func TestLinesHaveTheReadingOfTheirInstant(t *testing.T) {
	form := regexp.MustCompile(`^ *(\d+\.\d+) s \((n\d): (\d+\.\d+)\)`)
	deposed, _ := Named("deposed") // no clock errs there, and no replica starts again
	ahead := map[string]float64{}
	lines := 0
	for _, line := range deposed.Play(cell.Run).Lines {
		f := form.FindStringSubmatch(line)
		if f == nil {
			continue
		}
		at, err := strconv.ParseFloat(f[1], 64)
		require.NoError(t, err)
		local, err := strconv.ParseFloat(f[3], 64)
		require.NoError(t, err)
		if _, seen := ahead[f[2]]; !seen {
			ahead[f[2]] = local - at
		}
		require.InDelta(t, ahead[f[2]], local-at, 0.003, line)
		lines++
	}
	require.Greater(t, lines, 5)
}

// In the scene of the torn tail the disk lacks a part of what was written, and the rest of that record is cut off: a seed
// that loses nothing, or whole records, shows neither. The values that went bad are those written anew.
func TestATailIsTornAndCutOff(t *testing.T) {
	torn, _ := Named("torn-tail")
	lines := strings.Join(torn.Play(cell.Run).Lines, "\n")
	all := func(form string) (found []string) {
		for _, m := range regexp.MustCompile(form).FindAllStringSubmatch(lines, -1) {
			found = append(found, m[1])
		}
		return found
	}
	var sizes []int
	for _, text := range all(`(\d+) bytes of log`) {
		size, err := strconv.Atoi(text)
		require.NoError(t, err)
		sizes = append(sizes, size)
	}
	require.Len(t, sizes, 3, lines)
	require.Less(t, sizes[1], sizes[0], "the power cut lost nothing:\n%s", lines)
	require.Less(t, sizes[2], sizes[1], "nothing was cut off:\n%s", lines)
	bad := all(`goes bad, of slot (\d+)`)
	require.NotEmpty(t, bad, lines)
	require.ElementsMatch(t, bad, all(`learned slot (\d+)`), lines)
}

// Where a master is cut off, the page shows what the questions ask: its client reads for a while behind the cut, and what
// stops the reads is the end of the lease: no replica has given up its grant by then, and the master still believes.
func TestReadsEndWithTheLeaseOfTheMasterThatIsCutOff(t *testing.T) {
	for _, name := range []string{"deposed", "slow-clock"} {
		s, _ := Named(name)
		lines := strings.Join(s.Play(cell.Run).Lines, "\n")
		instant := func(form string) float64 {
			m := regexp.MustCompile(form).FindStringSubmatch(lines)
			require.NotNil(t, m, "%s: %s\n%s", name, form, lines)
			at, err := strconv.ParseFloat(m[1], 64)
			require.NoError(t, err)
			return at
		}
		read := instant(`it read at once until (\S+) s`)
		require.Greater(t, read, instant(`(?m)^ *(\S+) s .* are lost$`), lines)
		first := instant(`(?m)^ *(\S+) s .* knows no leader$`)
		require.Less(t, read, first, lines)
		require.Greater(t, instant(`(?m)^ *(\S+) s .* n1 knows no leader$`), first, lines)
	}
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
