package vfstest

import (
	"errors"

	"github.com/chubbycell/chubby/wal/vfs"
)

// DieAt makes the machine lose power, or its process die, instead of the n-th call
// from now on: die is m.Crash or m.Kill.
func DieAt(m *vfs.Mem, n int, die func()) {
	m.SetFault(func(vfs.Call) vfs.Fault {
		if n--; n == 0 {
			die()
		}
		return vfs.Fault{}
	})
}

// CountCalls counts the calls that f makes.
func CountCalls(m *vfs.Mem, f func()) int {
	n := 0
	m.SetFault(func(vfs.Call) vfs.Fault { n++; return vfs.Fault{} })
	f()
	m.SetFault(nil)
	return n
}

// IsDeath reports that err is nothing but the death of the process.
func IsDeath(err error) bool { return errors.Is(err, vfs.ErrCrashed) }
