package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/watchdog"
)

// locker runs a command while it holds a lock.
type locker struct {
	call
	shared, try bool
	wait, delay time.Duration
	name        string // of the file, in full
}

// Bounds of the lock-delay: below, there is no time to end a command in good order.
const (
	minDelay = 3 * time.Second
	maxDelay = time.Minute
)

func lockCommand() *cobra.Command {
	a := &locker{}
	c := &cobra.Command{
		Use:   "lock [flags] PATH -- COMMAND [ARG...]",
		Short: "Run a command while holding a lock",
		Long: `Lock acquires the lock of a file, runs a command, and releases the lock when the command
has ended. It creates the file if there is none, and waits as long as another client holds
the lock or the lock-delay of a lost holder runs, unless --try or --wait is given. It passes
SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1 and SIGUSR2 on to the command's process group, each
as often as it comes.

The environment of the command has
    CHUBBY_SEQUENCER   the sequencer to send with requests, so that servers can refuse
                       requests of former holders (chubby sequencer check)
    CHUBBY_GENERATION  the lock generation in it: a number that grows with each later holder
    CHUBBY_LOCK        the full name of the file
    CHUBBY_CELL        the cell, for commands of chubby that it runs

If lock cannot renew its session with the cell, the session's lease ends, and then the cell
keeps the lock from others for --lock-delay more. Within that time lock ends the command,
first with SIGTERM and then with SIGKILL, well before another client may hold the lock. On
Linux the signals go to every process that the command has started. If lock itself is killed,
or is stopped for too long, a watchdog ends the command in the same way; other clients can
acquire the lock after the lease and the lock-delay.

At a terminal, lock and the command share the foreground, so the command can read the
terminal. Ctrl-C and Ctrl-\ reach both, so lock does not pass these two on. Ctrl-Z stops both;
if they stay stopped, the lock is lost as above.

Lock ends with the exit code of the command, or with 128 plus the number of the signal that
ended it. It is 10 if the lock was lost while the command ran, or may have been lost because
lock was stopped or the machine suspended; 127 if the command does not exist, and 126 if it
cannot be executed. Before the command runs, the exit codes are those below: 7 if --try finds
the lock held, 8 if --wait expires.`,
		Example: `  chubby lock /jobs/nightly -- ./nightly.sh                 # one at a time on all machines
  chubby lock --try /jobs/nightly -- ./nightly.sh           # exit code 7 if it already runs
  chubby lock --shared --wait 30s /db -- ./read.sh          # together with other readers
  chubby lock /leader -- sh -c './serve --token "$CHUBBY_SEQUENCER"'`,
		DisableFlagsInUseLine: true, // they come before the command
		Args: func(c *cobra.Command, args []string) error {
			if n := c.ArgsLenAtDash(); n != 1 || len(args) < 2 {
				return cli.Usage("%s takes one path, then -- and a command, such as: %s /job -- ./job.sh", c.CommandPath(), c.CommandPath())
			}
			return nil
		},
	}
	a.registerMute(c, func(ctx context.Context, args []string) error { return a.lock(ctx, args[0], args[1:]) })
	f := c.Flags()
	f.BoolVar(&a.shared, "shared", false, "acquire the lock in shared mode: other shared holders may have it at the same time")
	f.BoolVar(&a.try, "try", false, "give up at once if the lock is not free")
	f.DurationVar(&a.wait, "wait", 0, "give up if the lock is not free within this time; 0: wait without limit")
	f.DurationVar(&a.delay, "lock-delay", 15*time.Second, "how long the cell keeps the lock from others after the session is lost, 3s to 1m")
	c.MarkFlagsMutuallyExclusive("try", "wait")
	c.AddCommand(watchdog.Commands()...)
	return c
}

func (a *locker) lock(ctx context.Context, path string, argv []string) error {
	outliveReaders() // or the watchdog ends the command at the first warning
	cli.EndOn(ctx, syscall.SIGHUP)
	var err error
	if a.name, err = a.fileName(path); err != nil {
		return err
	}
	if a.delay < minDelay || a.delay > maxDelay {
		return cli.Usage("--lock-delay %v: must be %v to %v", a.delay, minDelay, maxDelay)
	}
	if a.wait < 0 {
		return cli.Usage("--wait %v: must be at least 0", a.wait)
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return watchdog.NotStarted(err)
	}
	cl, done, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	lock, err := a.acquire(ctx, cl)
	if err != nil {
		return unreached(cl, a.withCaller(ctx, cl, err))
	}
	code, err := a.hold(ctx, cl, lock, program, argv)
	if err == nil {
		err = a.release(lock)
	}
	if err != nil {
		return err
	}
	return cli.Exit(code)
}

// acquire opens the file and acquires its lock.
func (a *locker) acquire(ctx context.Context, cl *client.Client) (*client.Lock, error) {
	short, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	h, err := cl.Open(short, a.name, client.OpenOptions{Rights: client.Write, Create: client.CreateMay, LockDelay: a.delay})
	if err != nil {
		return nil, withParent(err, a.name)
	}
	mode := client.Exclusive
	if a.shared {
		mode = client.Shared
	}
	var lock *client.Lock
	if !a.try {
		defer a.tellWaiting().Stop()
	}
	switch {
	case a.try:
		lock, err = h.TryAcquire(short, mode)
	case a.wait > 0:
		limited, cancel := context.WithTimeout(ctx, a.wait)
		defer cancel()
		lock, err = h.Acquire(limited, mode)
		if err != nil && limited.Err() != nil && ctx.Err() == nil && cl.Unreached() == nil {
			err = &cli.Failure{Code: cli.ExitTimeout, Err: fmt.Errorf("the lock of %s was not free within %v", a.name, a.wait)}
		}
	default:
		lock, err = h.Acquire(ctx, mode)
	}
	if err != nil {
		return nil, err
	}
	if _, ok := cl.LeaseLeft(); !ok {
		return nil, errors.Join(errors.New("the cell gives no session leases, without which no lock is safe to act on"), a.release(lock))
	}
	return lock, nil
}

// quietWait is how long lock waits in silence.
const quietWait = 3 * time.Second

// tellWaiting says after a while that lock waits, and how to see for which client.
func (a *locker) tellWaiting() *time.Timer {
	return time.AfterFunc(quietWait, func() {
		a.Warn("%s: waiting for the lock (--wait bounds that); operators and its own principal see the holder by: chubby session locks %s", a.name, cli.Quote(a.name))
	})
}

// release frees the lock. One that is lost is free.
func (a *locker) release(lock *client.Lock) error {
	ctx, cancel := context.WithTimeout(context.Background(), a.timeout)
	defer cancel()
	if err := lock.Release(ctx); err != nil && errors.Is(err, context.DeadlineExceeded) {
		a.Warn("the lock was not released, and stays held until the session expires: %v", err)
	}
	return nil
}

// reason is why replicas are not reached, a line each, as the end of a message; empty: they are.
func reason(cl *client.Client) string {
	if why := cl.Unreached(); why != nil {
		return "\n" + why.Error()
	}
	return ""
}

// everywhere is the target as it is called from any directory.
func (a *locker) everywhere() string {
	if _, err := os.Stat(a.found); err != nil {
		return a.found // a list of replicas, or a name in DNS
	}
	if name, err := filepath.Abs(a.found); err == nil {
		return name
	}
	return a.found
}

// hold runs the command, and ends it if the lock may be lost. It returns the exit code.
func (a *locker) hold(ctx context.Context, cl *client.Client, lock *client.Lock, program string, argv []string) (int, error) {
	signals := cli.TakeSignals(ctx, watchdog.Passed...)
	if ctx.Err() != nil {
		return 0, cli.Interrupted()
	}
	g := guard{delay: a.delay}
	until := func() time.Duration {
		now := watchdog.SinceBoot() // before the lease is read: this process may be stopped in between
		left, _ := cl.LeaseLeft()
		return now + g.until(left)
	}
	child, err := watchdog.Start(watchdog.Errand{
		Program: program, Argv: argv, In: a.In, Out: a.Out, Err: a.Err, Until: until(), Grace: g.grace(),
		Env: append(os.Environ(), "CHUBBY_CELL="+a.everywhere(), "CHUBBY_LOCK="+a.name, "CHUBBY_SEQUENCER="+lock.Sequencer(),
			"CHUBBY_GENERATION="+fmt.Sprint(generation(lock.Sequencer()))),
	})
	if err != nil {
		return 0, err
	}
	tick := time.NewTicker(watchdog.LookEvery)
	defer tick.Stop()
	interrupted := ctx.Done() // by a signal that came before
	for {
		select {
		case <-child.Ended():
			left, _ := cl.LeaseLeft()
			what := g.atEnd(left, lock.Err())
			if what == "" {
				return child.Code()
			}
			child.Kill() // what it left
			return 0, &cli.Failure{Code: cli.ExitLost, Err: fmt.Errorf("%s: %s: %s%s", a.name, what, plain(g.why), reason(cl))}
		case s := <-signals:
			child.Signal(s)
			continue
		case <-interrupted:
			interrupted = nil
			child.Signal(cli.SignalOf(ctx))
			continue
		case <-tick.C:
		}
		child.Extend(until())
		left, _ := cl.LeaseLeft()
		switch g.look(time.Now(), left, lock.Err()) {
		case warn:
			a.Warn("%s: the cell is out of reach; the command continues for at most %v%s", a.name, g.until(left).Round(time.Second), reason(cl))
		case terminate:
			a.Warn("%s: the lock is lost, or may be lost soon: ending the command", a.name)
			child.Terminate()
		case kill:
			a.Warn("%s: killing the command", a.name)
			child.Kill()
		}
	}
}
