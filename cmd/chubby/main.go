// Command chubby is the one program of the project: it simulates cells and hunts
// for bugs in them, checks histories of any system, and looks into the files of
// a replica. It is the composition root: nothing below it reads a flag, a clock
// or the environment.
//
// Reading order: root.go (commands and exit codes), sim.go (the main job) with
// batch.go, failures.go and progress.go, then one file a command (merge.go: shards).
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/term"
)

// patient is how long an interrupted program may take to end until it says that it
// waits: many commands end at once.
const patient = 200 * time.Millisecond

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800) // worlds are small and die young: a quarter less time
	}
	if os.Getenv("GOMEMLIMIT") == "" { // where they are large, the collector works harder from here on
		debug.SetMemoryLimit(int64(runtime.GOMAXPROCS(0)) << 30)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		stop() // a second signal ends the program at once
		time.Sleep(patient)
		fmt.Fprintln(os.Stderr, "chubby: interrupted, waiting for what is under way; once more ends at once")
	})
	os.Exit(newApp(os.Stdin, os.Stdout, os.Stderr, term.IsTerminal(int(os.Stderr.Fd()))).run(ctx, os.Args[1:]))
}
