//go:build unix

package server

import "syscall"

// mostOpenFiles is how many files, connections among them, the system lets the process have; 0: it does not say.
func mostOpenFiles() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return uint64(l.Cur) // of a signed type on some systems
}
