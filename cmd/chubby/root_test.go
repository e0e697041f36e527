package main

import (
	"regexp"
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

// The help of the program has each exit code of both kinds of commands, in one table.
func TestTheHelpHasAllExitCodesSideBySide(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("help"))
	_, table, ok := strings.Cut(w.out.String(), "Exit codes of the commands that")
	require.True(t, ok)
	require.NotContains(t, table, "Exit codes:", "there is one table")
	left, right := map[string]string{}, map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ +(\d+)  (.{1,42}) (\S.*)$`).FindAllStringSubmatch(table, -1) {
		left[m[1]], right[m[1]] = strings.TrimSpace(m[2]), m[3]
	}
	for help, column := range map[string]map[string]string{cli.ExitHelp: left, cli.CellExitHelp: right} {
		own := regexp.MustCompile(`(?m)^ +(\d+)  (\w+)`).FindAllStringSubmatch(help, -1)
		require.NotEmpty(t, own)
		for _, c := range own {
			require.True(t, strings.HasPrefix(column[c[1]], c[2]), "%s: %q", c[1], column[c[1]])
		}
	}
	require.Len(t, left, 12)
}
