//go:build unix && !linux

package torture

import "syscall"

// ownGroup keeps the signals of a terminal away from a server.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
