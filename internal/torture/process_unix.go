//go:build unix

package torture

import "syscall"

// supported says whether processes can be paused here.
const supported = true

func (p *process) kill()      { p.signal(syscall.SIGKILL) }
func (p *process) terminate() { p.signal(syscall.SIGTERM) }
func (p *process) pause()     { p.signal(syscall.SIGSTOP) }
func (p *process) resume()    { p.signal(syscall.SIGCONT) }

// dump ends a process that hangs; its stacks go to its log.
func (p *process) dump() { p.signal(syscall.SIGQUIT) }

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) } // it may have ended
