package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
