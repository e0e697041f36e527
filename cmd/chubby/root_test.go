package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// The help has each command in a group, but for those that every program has.
func TestTheHelpHasEachCommandInAGroup(t *testing.T) {
	a := newApp(cli.Streams{Name: "chubby"})
	var grouped, named []string
	for _, c := range a.root().Commands() {
		if c.GroupID != "" {
			grouped = append(grouped, c.Name())
		} else {
			require.Equal(t, "version", c.Name())
		}
	}
	for _, g := range groups {
		named = append(named, strings.Fields(g.commands)...)
	}
	require.ElementsMatch(t, named, grouped)
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("--help"))
	require.Regexp(t, `(?s)Call a cell:\n  acl .*\n\nRun a cell, and look after it:\n  backup .*Additional Commands:\n`, w.out.String())
}

func TestTheVersionIsPrintedByAFlagToo(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("version"), w.err.String())
	said := w.out.String()
	require.Contains(t, said, "commit ")
	w = newWorld()
	require.Equal(t, cli.ExitClean, w.do("--version"), w.err.String())
	require.Equal(t, said, w.out.String())
}
