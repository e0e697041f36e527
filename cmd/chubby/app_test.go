package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/cli/clitest"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/sim/runner"
)

// world is the program with streams of its own.
type world struct {
	*app
	in       strings.Reader
	out, err bytes.Buffer
	stop     context.CancelFunc
	limited  int64         // what the collector was to keep below
	pace     time.Duration // how far time has gone on whenever it is asked for
}

func newWorld() *world {
	w := &world{}
	w.app = newApp(cli.Streams{Name: "chubby", In: &w.in, Out: &w.out, Err: &w.err})
	w.telling = time.Hour // on a slow machine, too, the output is what is written down
	w.start = "go run ./cmd/chubby"
	w.limit = func(bytes int64) { w.limited = bytes }
	began := time.Unix(0, 0)
	w.now = func() time.Time { began = began.Add(w.pace); return began }
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

// TestCommandLine runs every file of testdata. Those of the simulator are in package simcmd.
func TestCommandLine(t *testing.T) {
	clitest.Scripts(t, func(t *testing.T, _ *datadriven.TestData, line, input string) string {
		w := newWorld()
		w.in.Reset(input)
		code := w.do(strings.Fields(line)...)
		if strings.Contains(w.out.String(), `"schema":`) {
			schema.Accept(t, projectAt, w.out.Bytes())
		}
		return clitest.Printed(w.out.String(), w.err.String(), code)
	})
}
