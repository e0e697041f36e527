//go:build unix

package cellcmd

import (
	"os"
	"syscall"
)

// hangup and passed are the signals that end lock while it waits, and those that it passes on.
var (
	hangup = []os.Signal{syscall.SIGHUP}
	passed = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}
)

// setAttributes gives a command a process group of its own, so that signals reach all that it
// starts. At a terminal it stays in ours, which the terminal sends its signals to.
func (c *child) setAttributes() {
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !c.terminal}
	setDeathSignal(c.cmd.SysProcAttr)
}

// signal passes on a signal, SIGTERM if it is none.
func (c *child) signal(s os.Signal) {
	number, ok := s.(syscall.Signal)
	to := -c.cmd.Process.Pid
	switch {
	case c.terminal && (number == syscall.SIGINT || number == syscall.SIGQUIT):
		return // the terminal has sent it to the command, too
	case c.terminal:
		to = -to
	}
	if !ok {
		number = syscall.SIGTERM
	}
	_ = syscall.Kill(to, number) // it may have ended
}

func (c *child) terminate() { c.signal(syscall.SIGTERM) }

func (c *child) kill() { c.signal(syscall.SIGKILL) }

// exitCode is that of a shell: 128 and the number of the signal that ended the process.
func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
