//go:build unix

package cellcmd

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a directory in which another user could have put a cell file: it would
// lead to a cell of that user. A directory that is missing is none.
func checkOwner(dir string) error {
	info, err := os.Lstat(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", dir)
	case ok && int(s.Uid) != os.Getuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s: other users may write there (mode %v): chmod go-w it", dir, info.Mode().Perm())
	}
	return nil
}
