//go:build unix

package simcmd

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what this process has used of processors, the kernel's work for
// it included.
func processorTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
