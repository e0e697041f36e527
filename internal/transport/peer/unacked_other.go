//go:build !linux

package peer

import "syscall"

// limitUnacked does nothing: this system has no such limit, or another one.
func (t timing) limitUnacked(string, string, syscall.RawConn) error { return nil }
