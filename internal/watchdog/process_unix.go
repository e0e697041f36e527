//go:build unix

package watchdog

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/chubbycell/chubby/internal/cli"
)

// means reach the watchdog of a command.
type means struct {
	orders  *os.File // the watchdog reads them; it knows by their end that this process is dead
	tty     *os.File // the controlling terminal; nil: there is none
	until   time.Duration
	foreign map[int]bool // children of this process that are older
}

// Passed are the signals that lock passes on to its command.
var Passed = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}

// Start starts the watchdog of a command, which starts the command. With a controlling terminal the
// command is in our process group: the terminal is its, too, and Ctrl-Z stops the whole job. Without
// one it has a group of its own, so that signals reach all that it starts. The watchdog
// is in a group of its own always: no key of a terminal reaches it.
func Start(e Errand) (*Process, error) {
	orders, w, err := os.Pipe()
	if err != nil {
		return nil, cli.Internal(err)
	}
	defer orders.Close()
	adoptOrphans()
	c := &Process{ended: make(chan struct{}), means: means{orders: w, until: e.Until, foreign: map[int]bool{}}}
	older, _ := kin(os.Getpid(), nil)
	for _, p := range older {
		c.foreign[p.pid] = true
	}
	group := 0
	if c.tty, err = os.OpenFile("/dev/tty", os.O_RDONLY, 0); err == nil {
		group = syscall.Getpgrp()
	} else {
		c.tty = nil
	}
	fd := orders.Fd()
	if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil { // it has the same number there, which no inherited file has
		return nil, cli.Internal(err)
	}
	program, err := thisProgram()
	if err != nil {
		return nil, cli.Internal(err)
	}
	argv := []string{
		os.Args[0], "lock", "watchdog", "--orders", fmt.Sprint(fd), "--until", fmt.Sprint(int64(e.Until)),
		"--grace", e.Grace.String(), "--group", strconv.Itoa(group), "--", e.Program,
	}
	c.cmd = e.asCommand(program, append(argv, e.Argv...)...)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		return nil, cli.Internal(err)
	}
	go c.await()
	return c, nil
}

// tell gives the watchdog an order. One that has ended needs none. One that was stopped for hours reads none, until
// the pipe is full: it must not keep lock from looking after the command.
func (c *Process) tell(format string, args ...any) {
	_ = c.orders.SetWriteDeadline(time.Now().Add(LookEvery))
	fmt.Fprintf(c.orders, format+"\n", args...)
}

// worth is by how much the end of a command must move to be told of.
const worth = 100 * time.Millisecond

// Extend says when the command must be dead, as the session lives longer.
func (c *Process) Extend(until time.Duration) {
	if until > c.until+worth {
		c.until = until
		c.tell("%s %d", orderUntil, int64(until))
	}
}

// Signal passes on a signal, but for one that the terminal has sent to the command, too.
func (c *Process) Signal(s os.Signal) {
	number, ok := s.(syscall.Signal)
	if !ok || (number == syscall.SIGINT || number == syscall.SIGQUIT) && c.inForeground() {
		return
	}
	c.tell("%s %d", orderSignal, int(number))
}

// inForeground reports whether our process group is that which gets the keys of the terminal.
func (c *Process) inForeground() bool {
	if c.tty == nil {
		return false
	}
	group, err := unix.IoctlGetInt(int(c.tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == syscall.Getpgrp()
}

// Terminate has all processes of the command end.
func (c *Process) Terminate() { c.tell("%s 0", orderEnd) }

// Kill kills them. It does not need the watchdog, which may be stopped, where it can see them itself.
func (c *Process) Kill() {
	c.tell("%s %d", orderSignal, int(syscall.SIGKILL))
	for killKin(c.foreign) {
		time.Sleep(LookEvery / 10) // they may have started others meanwhile
	}
}

// exitCode is that of the command. If the watchdog was killed, all processes of the command are.
func (c *Process) exitCode(s *os.ProcessState) (int, error) {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		c.Kill()
		return 0, &cli.Failure{Code: codeOf(w), Err: fmt.Errorf("the watchdog of the command was ended (%v), so the command was killed", w.Signal())}
	}
	return s.ExitCode(), nil
}

// killKin kills descendants, but for some and theirs. It reports whether there were any.
func killKin(foreign map[int]bool) (some bool) {
	all, _ := kin(os.Getpid(), foreign)
	for _, p := range all {
		some = syscall.Kill(p.pid, syscall.SIGKILL) == nil || some
	}
	return some
}

// codeOf is the exit code of a shell: 128 and the number of the signal that ended a process.
func codeOf(w syscall.WaitStatus) int {
	if w.Signaled() {
		return 128 + int(w.Signal())
	}
	return w.ExitStatus()
}
