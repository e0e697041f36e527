package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/runner"
)

// world is the program with streams of its own.
type world struct {
	*app
	in       strings.Reader
	out, err bytes.Buffer
	stop     context.CancelFunc
}

func newWorld() *world {
	w := &world{}
	w.app = newApp(cli.Streams{Name: "chubby", In: &w.in, Out: &w.out, Err: &w.err})
	w.build = func() runner.Build {
		return runner.Build{Commit: "c0ffee", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64"}
	}
	return w
}

func (w *world) do(args ...string) int {
	w.out.Reset()
	w.err.Reset()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	w.stop = stop
	return w.run(ctx, args)
}

// TestCommandLine runs every file of testdata: each case is a command line, and behind it
// what it reads; what it gives is what it prints to stdout, what to stderr, and the exit
// code. Those of the simulator are in package simcmd.
func TestCommandLine(t *testing.T) {
	dir, err := filepath.Abs("testdata")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string { return script(t, d) })
		})
	}
}

func script(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd == "file" {
		var name string
		d.ScanArgs(t, "name", &name)
		require.NoError(t, os.WriteFile(name, []byte(d.Input+"\n"), 0o644))
		return ""
	}
	require.Equal(t, "chubby", d.Cmd)
	w := newWorld()
	line, input, _ := strings.Cut(d.Input, "\n")
	w.in.Reset(input)
	code := w.do(strings.Fields(line)...)
	var b strings.Builder
	b.WriteString(w.out.String())
	for line := range strings.Lines(w.err.String()) {
		b.WriteString("stderr: " + strings.TrimRight(line, "\n") + "\n")
	}
	fmt.Fprintf(&b, "exit %d\n", code)
	return b.String()
}
