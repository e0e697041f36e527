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
// second one ends the process at once. A SIGINT that the process was started to ignore, as a
// shell without job control does in the background, stays so. It sets the garbage collector for many small
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
	heed(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		got := <-signals
		signal.Stop(signals) // a second signal ends the program at once
		cancel(signalled{got})
		time.Sleep(patience)
		fmt.Fprintf(os.Stderr, "%s: interrupted, waiting for what is under way; once more ends at once\n", root.Name())
	}()
	os.Exit(Run(context.WithValue(ctx, ending{}, signals), root, os.Stderr, os.Args[1:]))
}

// ending is the key of the channel of the signals that end a context.
type ending struct{}

// heed has signals come by a channel, but for those that the process was started to ignore, by
// nohup for instance.
func heed(c chan<- os.Signal, which ...os.Signal) {
	for _, s := range which {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
}

// EndOn has more signals end the context of a command of Main, as SIGTERM does. With another context it
// does nothing.
func EndOn(ctx context.Context, more ...os.Signal) {
	if c, ok := ctx.Value(ending{}).(chan os.Signal); ok {
		heed(c, more...)
	}
}

// EndOnHangup has SIGHUP end the context of a command of Main: the command prints what it has, and removes what is
// temporary, also when its terminal is closed. More SIGHUPs do nothing, since the shell and the system may send one each.
func EndOnHangup(ctx context.Context) {
	heed(make(chan os.Signal, 1), syscall.SIGHUP)
	EndOn(ctx, syscall.SIGHUP)
}

// maxSignals is how many signals wait for a command that takes them.
const maxSignals = 64

// TakeSignals has signals come by a channel, until the process ends, and the context of a command of Main
// not end by one that comes from then on. Signals that the process was started to ignore stay ignored.
func TakeSignals(ctx context.Context, which ...os.Signal) <-chan os.Signal {
	taken := make(chan os.Signal, maxSignals)
	heed(taken, which...)
	if c, ok := ctx.Value(ending{}).(chan os.Signal); ok {
		signal.Stop(c)
	}
	return taken
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
