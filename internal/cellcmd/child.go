package cellcmd

import (
	"errors"
	"io/fs"
	"os/exec"
	"runtime"

	"github.com/chubbycell/chubby/internal/cli"
)

// child is a command that runs.
type child struct {
	cmd      *exec.Cmd
	terminal bool // stdin is one
	ended    chan struct{}
	err      error // of Wait; read after ended is closed
}

// startChild starts a command. If it ends when this process is killed depends on the thread
// that started it, which waits for it therefore.
func startChild(cmd *exec.Cmd, terminal bool) (*child, error) {
	c := &child{cmd: cmd, terminal: terminal, ended: make(chan struct{})}
	c.setAttributes()
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.ended)
		}
	}()
	return c, <-started
}

// code is the exit code of a command that has ended.
func (c *child) code() (int, error) {
	if s := c.cmd.ProcessState; s != nil {
		return exitCode(s), nil
	}
	return 0, cli.Internal(c.err)
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
