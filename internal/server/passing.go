package server

import (
	"errors"
	"io/fs"
	"net"
	"syscall"

	"github.com/chubbycell/chubby/wal/vfs"
)

// lasting are errors of the system that stay until an operator changes something: rights and names.
var lasting = []error{
	fs.ErrPermission, fs.ErrNotExist, fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.EINVAL, syscall.ENAMETOOLONG,
}

// MayPass reports whether an error of Start is one of the machine that may be over when the replica is
// started again: a port or a directory that another process still has, an address that the machine does not
// have yet, a name that is not resolved yet, no space, no descriptors. Any other error stays.
func MayPass(err error) bool {
	for _, l := range lasting {
		if errors.Is(err, l) {
			return false
		}
	}
	var number syscall.Errno
	var name *net.DNSError
	return errors.As(err, &number) || errors.As(err, &name) || errors.Is(err, vfs.ErrLocked)
}
