package torture

import "syscall"

// ownGroup keeps the signals of a terminal away from a server, and has it killed when the
// thread that started it ends.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
