//go:build unix

package watchdog

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
)

// watchdog runs the command of a chubby lock, and ends it where that cannot: it was killed, or it is
// stopped, and the lock may be another's soon. It is the parent of the command, so it knows
// which processes are the command's.
type watchdog struct {
	cli.Streams
	orders int // the file that orders come from
	group  int // of the command; 0: its own
	until  int64
	fuse   fuse

	pid   int
	ended bool // the command has, with this code
	code  int
	told  bool // by lock that it must end
	lost  bool // it was ended without an order
}

// Orders of lock, a line each with a number behind it.
const (
	orderUntil  = "until"  // when the command must be dead
	orderSignal = "signal" // to pass on
	orderEnd    = "end"    // the lock is lost
)

// order is one of them.
type order struct {
	what   string
	number int64
}

// relative is a process that descends from another.
type relative struct {
	pid, group int
	dead       bool // and not waited for
}

// Commands are the hidden commands by which chubby lock starts its watchdog; they belong below chubby lock.
func Commands() []*cobra.Command {
	w := &watchdog{}
	c := &cobra.Command{
		Use:    "watchdog",
		Short:  "Run the command of a lock",
		Long:   "Watchdog runs the command of a chubby lock, which starts it. Do not start it yourself.",
		Hidden: true,
		Args:   cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			w.Streams = cli.StreamsOf(c)
			return w.run(c.Context(), args[0], args[1:])
		},
	}
	f := c.Flags()
	f.IntVar(&w.orders, "orders", 0, "number of the file that orders come from")
	f.IntVar(&w.group, "group", 0, "process group of the command; 0: its own")
	f.Int64Var(&w.until, "until", 0, "when the command must be dead, in nanoseconds")
	f.DurationVar(&w.fuse.grace, "grace", 0, "how long the command has to end when it is told to")
	return []*cobra.Command{c}
}

func (w *watchdog) run(ctx context.Context, program string, argv []string) error {
	runtime.LockOSThread() // the death signal is tied to the thread that starts the command
	dropped := cli.TakeSignals(ctx, Passed...)
	exits := make(chan os.Signal, 1)
	signal.Notify(exits, syscall.SIGCHLD)
	takeName("lock-watchdog")
	adoptOrphans()
	syscall.CloseOnExec(w.orders)
	w.fuse.until = time.Duration(w.until)
	attributes := &syscall.SysProcAttr{Setpgid: true, Pgid: w.group}
	setDeathSignal(attributes)
	if w.fuse.isOver(SinceBoot()) { // lock or this process was stopped after lock had looked
		return lostAs("the command was not started: the time of the lock was over")
	}
	p, err := os.StartProcess(program, argv, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: attributes})
	if err != nil {
		return NotStarted(err)
	}
	w.pid = p.Pid
	_ = p.Release() // reap waits for it
	orders := make(chan order)
	go readOrders(os.NewFile(uintptr(w.orders), "orders"), orders)
	tick := time.NewTicker(LookEvery)
	defer tick.Stop()
	for !w.ended || w.fuse.lit && w.anyLeft() {
		select {
		case <-dropped: // lock passes them on
		case <-exits:
			w.reap()
		case o, ok := <-orders:
			if !ok {
				orders, w.lost = nil, true
				w.fuse.cut(SinceBoot())
				w.all(syscall.SIGTERM)
				break
			}
			w.obey(o)
		case <-tick.C:
			switch w.fuse.look(SinceBoot()) {
			case terminate:
				w.lost = true
				w.all(syscall.SIGTERM)
			case kill:
				w.lost = w.lost || !w.told
				w.all(syscall.SIGKILL)
			}
		}
	}
	if w.lost {
		return lostAs("chubby lock was killed or stopped, and its command was ended before another client could hold the lock")
	}
	return cli.Exit(w.code)
}

// lostAs is the end of a watchdog whose lock was lost.
func lostAs(what string) error {
	return &cli.Failure{Code: cli.ExitLost, Err: fmt.Errorf("%s: %s", os.Getenv("CHUBBY_LOCK"), what)}
}

// readOrders reads orders until lock has ended, and closes the channel.
func readOrders(from io.Reader, to chan<- order) {
	defer close(to)
	for lines := bufio.NewScanner(from); lines.Scan(); {
		var o order
		if _, err := fmt.Sscan(lines.Text(), &o.what, &o.number); err != nil {
			return
		}
		to <- o
	}
}

func (w *watchdog) obey(o order) {
	switch o.what {
	case orderUntil:
		w.fuse.extend(time.Duration(o.number))
	case orderSignal:
		if s := syscall.Signal(o.number); s == syscall.SIGKILL {
			w.all(s)
		} else {
			w.pass(s)
		}
	case orderEnd:
		w.fuse.light()
		w.told = true
		w.all(syscall.SIGTERM)
	}
}

// reap waits for processes that have ended: the command, and orphans that it left.
func (w *watchdog) reap() {
	for {
		var s syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &s, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil || pid <= 0:
			return
		case pid == w.pid:
			w.ended, w.code = true, codeOf(s)
		}
	}
}

// pass passes a signal on to the process group of the command. That may be ours, too: then it goes to
// the descendants in it.
func (w *watchdog) pass(s syscall.Signal) {
	if w.ended {
		return
	}
	if w.group == 0 {
		_ = syscall.Kill(-w.pid, s)
		return
	}
	all, _ := kin(os.Getpid(), nil)
	group := 0
	for _, p := range all {
		if p.pid == w.pid {
			group = p.group
		}
	}
	_ = syscall.Kill(w.pid, s)
	for _, p := range all {
		if p.group == group && p.pid != w.pid {
			_ = syscall.Kill(p.pid, s)
		}
	}
}

// all sends a signal to all processes of the command, whatever their groups are. One that is stopped gets
// it, too.
func (w *watchdog) all(s syscall.Signal) {
	for _, to := range w.targets() {
		if syscall.Kill(to, s) == nil && s != syscall.SIGKILL {
			_ = syscall.Kill(to, syscall.SIGCONT)
		}
	}
}

// anyLeft reports whether there are processes of the command that we may send signals to.
func (w *watchdog) anyLeft() bool {
	for _, to := range w.targets() {
		if syscall.Kill(to, 0) == nil {
			return true
		}
	}
	return false
}

// targets are what all sends signals to: processes, or the group where descendants are not known.
func (w *watchdog) targets() (to []int) {
	all, ok := kin(os.Getpid(), nil)
	for _, p := range all {
		to = append(to, p.pid)
	}
	switch {
	case ok:
	case w.group == 0:
		to = []int{-w.pid}
	case !w.ended:
		to = []int{w.pid}
	}
	return to
}
