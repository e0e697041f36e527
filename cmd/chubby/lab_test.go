package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/lab/systems"
)

const (
	breaksBegin = "-rewrite` -->\n"
	breaksEnd   = "<!-- end of breaks -->"
)

// labTable is the table of all breaks, as docs/lab.md is to have it.
func labTable() string {
	var t strings.Builder
	t.WriteString("| system | break | what happens | command |\n|---|---|---|---|\n")
	for _, s := range systems.All() {
		for _, b := range s.Breaks {
			how := fmt.Sprintf("`chubby lab run %s %s`", s.Name, b.ID)
			if b.Script == nil {
				how = "not played: " + b.Unplayed
			}
			fmt.Fprintf(&t, "| %s | %s | %s %s | %s |\n", s.Name, b.ID, b.Title, b.Mark, how)
		}
	}
	return t.String()
}

func TestAShareHasTheDigitsThatItsIntervalIsWorth(t *testing.T) {
	for _, x := range []struct {
		hits, of int
		want     string
	}{
		{3, 40, "8 % (3 to 20)"},
		{0, 40, "0 % (0 to 9)"},
		{0, 1000, "0.0 % (0.0 to 0.4)"},
		{0, 10000, "0.00 % (0.00 to 0.04)"},
		{711, 1000, "71 % (68 to 74)"},
	} {
		s := experiment.ShareOf(x.hits, x.of)
		require.Equal(t, x.want, labShare(&s))
	}
	require.Equal(t, "-", labShare(nil))
}

func TestThePageOfTheLabHasEveryBreak(t *testing.T) {
	path := filepath.Join(project, "docs", "lab.md")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(data), breaksBegin)
	require.True(t, found)
	old, tail, found := strings.Cut(rest, breaksEnd)
	require.True(t, found)
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(path, []byte(head+breaksBegin+labTable()+breaksEnd+tail), 0o644))
		return
	}
	require.Equal(t, labTable(), old, "run this test with -rewrite")
}
