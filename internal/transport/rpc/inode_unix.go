//go:build unix

package rpc

import (
	"fmt"
	"io/fs"
	"syscall"
)

// inode tells a file from one that has taken its place: that may have its length, and the time of its last change, as a
// copy that keeps times has, or one that was made within the same tick of the file system's clock.
func inode(info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" %d", s.Ino)
}
