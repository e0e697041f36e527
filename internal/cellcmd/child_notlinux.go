//go:build unix && !linux

package cellcmd

import "syscall"

// setDeathSignal does nothing: this system has no such thing.
func setDeathSignal(*syscall.SysProcAttr) {}
