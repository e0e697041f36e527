package torture

import (
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
)

// process is a server that runs.
type process struct {
	cmd     *exec.Cmd
	ended   chan struct{}
	excused atomic.Bool // it may end, since a fault ends it
}

// startProcess starts a program that ends when this one does, however it ends: that depends on
// the thread that starts it, which waits for it therefore.
func startProcess(log *os.File, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = ownGroup()
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // its state says more
			close(p.ended)
		}
	}()
	return p, <-started
}

// code is how a process has ended: its exit code, or -1 after a signal.
func (p *process) code() int { return p.cmd.ProcessState.ExitCode() }
