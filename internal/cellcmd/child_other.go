//go:build !unix

package cellcmd

import (
	"os"
	"syscall"
)

// hangup and passed are the signals that end lock while it waits, and those that it passes on.
var (
	hangup []os.Signal
	passed = []os.Signal{os.Interrupt, syscall.SIGTERM}
)

func (c *child) setAttributes() {}

// signal kills the command: this system has no other signals.
func (c *child) signal(os.Signal) { _ = c.cmd.Process.Kill() }

func (c *child) terminate() { c.signal(os.Kill) }

func (c *child) kill() { c.signal(os.Kill) }

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
