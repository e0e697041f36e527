package cellcmd

import "syscall"

// setDeathSignal has a command killed when the thread that started it ends.
func setDeathSignal(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
