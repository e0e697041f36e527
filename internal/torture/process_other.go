//go:build !unix

package torture

import "syscall"

// supported says whether processes can be paused here.
const supported = false

func (p *process) kill()      { _ = p.cmd.Process.Kill() }
func (p *process) terminate() { p.kill() }
func (p *process) pause()     {}
func (p *process) resume()    {}
func (p *process) dump()      { p.kill() }

func ownGroup() *syscall.SysProcAttr { return nil }
