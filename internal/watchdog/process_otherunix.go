//go:build unix && !linux

package watchdog

import (
	"os"
	"syscall"
	"time"
)

// setDeathSignal does nothing: this system has no such thing.
func setDeathSignal(*syscall.SysProcAttr) {}

func adoptOrphans() {}

func thisProgram() (string, error) { return os.Executable() }

func takeName(string) {}

// SinceBoot is an instant that all processes of this machine read the same: here by the clock of
// the wall.
func SinceBoot() time.Duration { return time.Duration(time.Now().UnixNano()) }

// kin finds nothing: ok is false.
func kin(int, map[int]bool) (all []relative, ok bool) { return nil, false }
