package boottime

import (
	"time"

	"golang.org/x/sys/unix"
)

// readClocks bounds how far CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC.
func readClocks() (low, high time.Duration) {
	for range 8 {
		before, boot, after := clock(unix.CLOCK_MONOTONIC), clock(unix.CLOCK_BOOTTIME), clock(unix.CLOCK_MONOTONIC)
		if low, high = boot-after, boot-before; high-low < time.Millisecond {
			break // the thread was not interrupted in between
		}
	}
	return low, high
}

func clock(id int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err) // the kernel is older than Linux 2.6.39
	}
	return time.Duration(t.Nano())
}
