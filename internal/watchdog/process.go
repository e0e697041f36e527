package watchdog

import (
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"time"

	"github.com/chubbycell/chubby/internal/cli"
)

// Errand is a command to be run, and until when at most. Its owner does not change it after Start.
type Errand struct {
	Program  string // its file
	Argv     []string
	Env      []string
	In       io.Reader
	Out, Err io.Writer
	Until    time.Duration // when it must be dead, by SinceBoot
	Grace    time.Duration // how long it has to end when it is told to
}

// Process is a command that runs. On Unix a watchdog runs it (watchdog.go). One goroutine uses it.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // of Wait; read after ended is closed
	means       // to reach the command, of this system
}

// await waits for the end.
func (c *Process) await() {
	c.err = c.cmd.Wait()
	close(c.ended)
}

// Ended returns a channel that is closed when the command has ended.
func (c *Process) Ended() <-chan struct{} { return c.ended }

// LookEvery is how often a watchdog, and a lock, look at the time that is left.
const LookEvery = 50 * time.Millisecond

// Code is the exit code of a command that has ended, or the failure that ended it. It is called after Ended.
func (c *Process) Code() (int, error) {
	if s := c.cmd.ProcessState; s != nil {
		return c.exitCode(s)
	}
	return 0, cli.Internal(c.err)
}

// asCommand makes a process with the streams and the environment of an Errand.
func (e Errand) asCommand(program string, argv ...string) *exec.Cmd {
	return &exec.Cmd{Path: program, Args: argv, Env: e.Env, Stdin: e.In, Stdout: e.Out, Stderr: e.Err}
}

// Exit codes of a command that does not run, as shells have them.
const (
	exitNotExecutable = 126
	exitNoCommand     = 127
)

// NotStarted is the end of lock when its command cannot be started.
func NotStarted(err error) error {
	code := exitNotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNoCommand
	}
	return &cli.Failure{Code: code, Err: err}
}
