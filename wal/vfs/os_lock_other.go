//go:build !unix || solaris || aix

package vfs

import (
	"errors"
	"os"
)

func flock(*os.File) error { return errors.ErrUnsupported }
