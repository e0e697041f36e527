package cellcmd

import (
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"time"

	"github.com/chubbycell/chubby/internal/cli"
)

// errand is a command to be run, and how long at most.
type errand struct {
	program  string // its file
	argv     []string
	env      []string
	in       io.Reader
	out, err io.Writer
	until    time.Duration // when it must be dead, by sinceBoot
	grace    time.Duration // how long it has to end when it is told to
}

// child is a command that runs. On Unix a watchdog runs it (watchdog.go).
type child struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // of Wait; read after ended is closed
	means       // to reach the command, of this system
}

// await waits for the end.
func (c *child) await() {
	c.err = c.cmd.Wait()
	close(c.ended)
}

// code is the exit code of a command that has ended.
func (c *child) code() (int, error) {
	if s := c.cmd.ProcessState; s != nil {
		return c.exitCode(s)
	}
	return 0, cli.Internal(c.err)
}

// asCommand makes a process with the streams and the environment of an errand.
func (e errand) asCommand(program string, argv ...string) *exec.Cmd {
	return &exec.Cmd{Path: program, Args: argv, Env: e.env, Stdin: e.in, Stdout: e.out, Stderr: e.err}
}

// Exit codes of a command that does not run, as shells have them.
const (
	exitNotExecutable = 126
	exitNoCommand     = 127
)

// unstarted is the end of lock when its command cannot be started.
func unstarted(err error) error {
	code := exitNotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNoCommand
	}
	return &cli.Failure{Code: code, Err: err}
}
