package cellcmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/torture"
)

// caseOf is the case of a name that begins so.
func caseOf(t *testing.T, j *cli.JUnit, name string) *cli.JUnitCase {
	for i := range j.Cases {
		if regexp.MustCompile("^" + name + `\b`).MatchString(j.Cases[i].Name) {
			return &j.Cases[i]
		}
	}
	require.Fail(t, "no case "+name)
	return nil
}

// A property that broke fails its case, with all that was seen, and how it is run again.
func TestJUnitOfATorture(t *testing.T) {
	a := &tortured{Streams: cli.Streams{Name: "chubby"}, faults: []string{"kill"}}
	a.cfg.Seed = 7
	r := &torture.Report{Verdict: torture.Broken, Seconds: 2.5, Operations: 9, Dir: "out", Violations: []torture.Violation{
		{Property: "S4", Text: "no order\nof these", File: "out/rows-1.jsonl"}, {Property: "S8", Text: "two holders"}, {Property: "S4", Text: "nor of those"},
	}}
	j := a.junit(r, "a table")
	require.Equal(t, "2.500", j.Time)
	require.Equal(t, []int{len(torture.Properties()) + 1, 2, 0}, []int{j.Tests, j.Failures, j.Errors})
	c := caseOf(t, j, "S4")
	require.Equal(t, "S4", c.Failure.Type)
	require.Equal(t, "S4 broke: no order", c.Failure.Message)
	require.Equal(t, "S4 broke: no order\nof these\nhistory: out/rows-1.jsonl\nS4 broke: nor of those\ndirectory: out\n"+a.again(), c.Failure.Text)
	require.NotNil(t, caseOf(t, j, "S8").Failure)
	require.Nil(t, caseOf(t, j, "S1").Failure)
	require.Nil(t, caseOf(t, j, "run").Failure)
	require.Equal(t, "a table", caseOf(t, j, "run").Output)

	for verdict, message := range map[string]string{
		torture.Undecided:   "exit code 3: undecided, 9 operations were answered",
		torture.Interrupted: "exit code 130: interrupted, 9 operations were answered",
	} {
		j = a.junit(&torture.Report{Verdict: verdict, Operations: 9}, "")
		require.Equal(t, 1, j.Failures)
		require.Equal(t, message, caseOf(t, j, "run").Failure.Message)
	}
	require.Zero(t, a.junit(&torture.Report{Verdict: torture.Clean, Operations: 9}, "").Failures)
}

// What is checked is what the document says, and what the source breaks.
func TestPropertiesOfATortureAreThoseOfTheDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(project, "docs/torture.md"))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "## What is checked\n")
	table, _, _ = strings.Cut(table, "\nTimes of calls")
	var said, have []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\w+) \|`).FindAllStringSubmatch(table, -1)[1:] {
		said = append(said, row[1])
	}
	for _, p := range torture.Properties() {
		have = append(have, p.ID)
	}
	require.Equal(t, said, have)

	files, err := filepath.Glob(filepath.Join(project, "internal/torture/*.go"))
	require.NoError(t, err)
	found := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?:\.broken\(|broken: |return )"(\w+)"`).FindAllStringSubmatch(string(source), -1) {
			require.Contains(t, have, m[1], file)
			found++
		}
	}
	require.Greater(t, found, 10)
}
