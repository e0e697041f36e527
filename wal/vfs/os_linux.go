package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData is fdatasync, again when a signal interrupted it.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
