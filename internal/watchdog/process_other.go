//go:build !unix

package cellcmd

import (
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// means are none: this system has no signals, so there is no watchdog.
type means struct{}

// hangup and passed are the signals that end lock while it waits, and those that it passes on.
var (
	hangup []os.Signal
	passed = []os.Signal{os.Interrupt, syscall.SIGTERM}
)

func watchdogCommands() []*cobra.Command { return nil }

func sinceBoot() time.Duration { return time.Duration(time.Now().UnixNano()) }

func startChild(e errand) (*child, error) {
	c := &child{cmd: e.asCommand(e.program, e.argv...), ended: make(chan struct{})}
	if err := c.cmd.Start(); err != nil {
		return nil, unstarted(err)
	}
	go c.await()
	return c, nil
}

func (c *child) extend(time.Duration) {}

// signal kills the command: this system has no other signals.
func (c *child) signal(os.Signal) { _ = c.cmd.Process.Kill() }

func (c *child) terminate() { c.signal(os.Kill) }

func (c *child) kill() { c.signal(os.Kill) }

func (c *child) exitCode(s *os.ProcessState) (int, error) { return s.ExitCode(), nil }
