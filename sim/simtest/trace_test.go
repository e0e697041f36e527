package simtest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/cell"
)

// lines returns the lines of a trace without its header.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// selected returns the lines of the trace of a seed that a selection prints, and what the test logs.
func selected(t *testing.T, only selection, newSuite func(l *listener, f flags) *suite) (all, logs []string) {
	var b strings.Builder
	l := listen(t, func(l *listener) {
		s := newSuite(l, flags{trace: true, seed: 3, only: only})
		printing := s.print
		s.print = func(seed uint64, to printed) {
			to.w = &b
			printing(seed, to)
		}
		s.printTrace()
	})
	require.Empty(t, l.fatal)
	return lines(b.String()), l.logs
}

func ofCell(l *listener, f flags) *suite {
	s := start(l, Options{Duration: 2 * time.Second, Clients: 1}, f, cell.Run)
	s.print = s.printCell
	return s
}

func ofWorld(l *listener, f flags) *suite {
	x := mortal(3)
	return x.start(l, f, x.seed)
}

// The flags that select lines of a trace do so for a cell and for a World, in the words of chubby sim --trace.
func TestLinesOfATraceAreSelected(t *testing.T) {
	for name, of := range map[string]func(*listener, flags) *suite{"cell": ofCell, "world": ofWorld} {
		whole, logs := selected(t, selection{}, of)
		require.Empty(t, logs)
		for text, only := range map[string]selection{
			" n1 ":    {node: "n1"},
			" fault ": {kinds: "fault"},
			"starts":  {about: "starts"},
		} {
			some, logs := selected(t, only, of)
			require.Empty(t, logs, name)
			require.NotEmpty(t, some, name)
			require.Less(t, len(some), len(whole), name)
			for _, line := range some {
				if only.node == "" || strings.Fields(line)[2] != "-" { // what no machine did, such as a value that was proposed
					require.Contains(t, line, text, name)
				}
			}
		}
		last := strings.Fields(whole[len(whole)-1])[1]
		end, err := time.ParseDuration(last + "s")
		require.NoError(t, err)
		early, _ := selected(t, selection{before: end / 2}, of)
		late, _ := selected(t, selection{since: end/2 + 1}, of)
		require.Len(t, whole, len(early)+len(late), name)
		require.NotEmpty(t, early)
		require.NotEmpty(t, late)
		none, logs := selected(t, selection{kinds: "Fault"}, of)
		require.Empty(t, none)
		require.Contains(t, logs[0], `-sim.trace: no line has kind "Fault"`)
		require.Contains(t, logs[len(logs)-1], "-sim.trace: no line matches")
	}
	some, _ := selected(t, selection{slot: 4}, ofCell)
	require.NotEmpty(t, some)
	require.Contains(t, some[0], "4")
}

// A selection that cannot work is refused.
func TestASelectionThatCannotWorkIsRefused(t *testing.T) {
	for want, f := range map[string]flags{
		"select lines of a trace: give -sim.trace, too":        {seed: 3, only: selection{node: "n1"}},
		`-sim.node "x1": such as n2 for a replica`:             {seed: 3, trace: true, only: selection{node: "x1"}},
		"-sim.since 2s -sim.before 1s: both must be at least":  {seed: 3, trace: true, only: selection{since: 2 * time.Second, before: time.Second}},
		"-sim.since -1s -sim.before 0s: both must be at least": {seed: 3, trace: true, only: selection{since: -time.Second}},
		`-sim.kind "a,": a name is empty`:                      {seed: 3, trace: true, only: selection{kinds: "a,"}},
	} {
		l := listen(t, func(l *listener) { ofCell(l, f).printTrace() })
		require.Contains(t, l.fatal, want)
	}
}
