package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// patience is how long an interrupted program may take to end until it says that it
// waits: many commands end at once.
const patience = 200 * time.Millisecond

// Main runs a tree of commands as a process: SIGINT and SIGTERM end its context, a
// second one ends the process at once. It sets the garbage collector for many small
// worlds, unless GOGC or GOMEMLIMIT do. It does not return.
func Main(root *cobra.Command) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800) // worlds are small and die young: a quarter less time
	}
	if os.Getenv("GOMEMLIMIT") == "" { // where they are large, the collector works harder from here on
		debug.SetMemoryLimit(int64(runtime.GOMAXPROCS(0)) << 30)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		got := <-signals
		signal.Stop(signals) // a second signal ends the program at once
		cancel(signalled{got})
		time.Sleep(patience)
		fmt.Fprintf(os.Stderr, "%s: interrupted, waiting for what is under way; once more ends at once\n", root.Name())
	}()
	os.Exit(Run(ctx, root, os.Stderr, os.Args[1:]))
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return "signal: " + s.String() }

// SignalOf is the signal that ended the context of a command; nil: none did.
func SignalOf(ctx context.Context) os.Signal {
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		return s.Signal
	}
	return nil
}
