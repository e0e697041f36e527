package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

// On a terminal the questions come first, and what happens when Enter was pressed; else all of it.
func TestASceneIsPlayed(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("tour", "lost-vote"), w.err.String())
	require.Empty(t, w.err.String())
	text := w.out.String()
	for _, part := range []string{"Before you look:\n1. ", "\n3. ", "s (n3: ", "loses power", "\n1. Yes. ", "\nRead next: paxos/acceptor.go"} {
		at := strings.Index(text, part)
		require.GreaterOrEqual(t, at, 0, "%s\n%s", part, w.out.String())
		text = text[at:]
	}
	whole := w.out.String()
	w.Terminal = true
	w.in.Reset("\n")
	require.Equal(t, cli.ExitClean, w.do("tour", "lost-vote"))
	require.Equal(t, "(press Enter to see what happens)\n", w.err.String())
	require.Equal(t, whole, w.out.String())
	require.Equal(t, cli.ExitClean, w.do("tour", "lost-vote", "--answers"))
	require.Empty(t, w.err.String())
}

func TestTourUsage(t *testing.T) {
	w := newWorld()
	require.Equal(t, cli.ExitClean, w.do("tour"))
	require.Equal(t, 9, strings.Count(w.out.String(), "\n"))
	require.Equal(t, cli.ExitClean, w.do("tour", "-o", "json"))
	require.Contains(t, w.out.String(), `"answer": "`)
	require.Equal(t, cli.ExitUsage, w.do("tour", "gremlins"))
	require.Contains(t, w.err.String(), "no scene \"gremlins\"; `chubby tour` lists them")
	require.Equal(t, cli.ExitUsage, w.do("tour", "duel", "torn-tail"))
}

// A scene has the page of a run, beside what it tells; a page that cannot be written is
// refused before anything is told.
func TestASceneHasAPage(t *testing.T) {
	w, file := newWorld(), filepath.Join(t.TempDir(), "scene.html")
	require.Equal(t, cli.ExitClean, w.do("tour", "lost-vote", "--answers"))
	told := w.out.String()
	require.Equal(t, cli.ExitClean, w.do("tour", "lost-vote", "--answers", "--page", file), w.err.String())
	require.Equal(t, told, w.out.String())
	require.Contains(t, w.err.String(), "wrote "+file)
	page, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(page), "<!DOCTYPE html>")
	require.Contains(t, string(page), "go run ./cmd/chubby tour lost-vote")
	for _, part := range []string{"loses power", "prepare"} {
		require.Contains(t, string(page), part)
	}

	for _, bad := range [][]string{
		{"lost-vote", "--page", ""}, {"lost-vote", "--page", t.TempDir()}, {"lost-vote", "--page", filepath.Join(file, "x", "y")}, {"--page", file},
	} {
		require.Equal(t, cli.ExitUsage, w.do(append([]string{"tour"}, bad...)...), bad)
		require.Contains(t, w.err.String(), "--page")
		require.Empty(t, w.out.String(), bad)
	}
}
