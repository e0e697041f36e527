//go:build !unix

package watchdog

import (
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// means are none: this system has no signals, so there is no watchdog.
type means struct{}

// Passed are the signals that lock passes on to its command.
var Passed = []os.Signal{os.Interrupt, syscall.SIGTERM}

// Commands are none: there is no watchdog.
func Commands() []*cobra.Command { return nil }

// SinceBoot is an instant, here by the clock of the wall.
func SinceBoot() time.Duration { return time.Duration(time.Now().UnixNano()) }

// Start starts a command. It fails with NotStarted if that cannot be.
func Start(e Errand) (*Process, error) {
	c := &Process{cmd: e.asCommand(e.Program, e.Argv...), ended: make(chan struct{})}
	if err := c.cmd.Start(); err != nil {
		return nil, NotStarted(err)
	}
	go c.await()
	return c, nil
}

// Extend does nothing: no watchdog waits.
func (c *Process) Extend(time.Duration) {}

// Signal kills the command: this system has no other signals.
func (c *Process) Signal(os.Signal) { _ = c.cmd.Process.Kill() }

// Terminate kills the command.
func (c *Process) Terminate() { c.Signal(os.Kill) }

// Kill kills it.
func (c *Process) Kill() { c.Signal(os.Kill) }

func (c *Process) exitCode(s *os.ProcessState) (int, error) { return s.ExitCode(), nil }
