//go:build !linux

package vfs

import "os"

// syncData is Sync, which does more and is there on all systems.
func syncData(f *os.File) error { return f.Sync() }
