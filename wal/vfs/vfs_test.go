package vfs_test

import (
	"testing"

	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/vfstest"
)

func TestMemConforms(t *testing.T) {
	vfstest.Run(t, func() vfs.FS { return vfs.NewMem() })
}

func TestOSConforms(t *testing.T) {
	vfstest.Run(t, func() vfs.FS { return vfs.NewOS(t.TempDir()) })
}
