package setnx

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/wal/vfs"
)

// kept is the append-only file of an instance, shortened to its last line: the value of the
// lock. An error of the disk is outside of this model, and panics.
type kept struct {
	file   vfs.File
	always bool // synced before a command is answered; else once a second
	dirty  bool
}

const (
	fileName = "appendonly.aof"
	width    = 40 // of the line
)

// open opens the file, or makes it in the first life, and says what it holds.
func open(n *lab.Node, always bool) (k *kept, value string) {
	file, err := n.FS().Open(fileName)
	if err != nil {
		file, err = n.FS().Create(fileName)
		must(err)
		must(n.FS().SyncDir("."))
	}
	line := make([]byte, width)
	if size, err := file.Size(); err == nil && size == width {
		_, err = file.ReadAt(line, 0)
		must(err)
		value = strings.Trim(string(line), " \x00")
	}
	k = &kept{file: file, always: always}
	n.Go("fsync", func() {
		for !always {
			n.Sleep(time.Second)
			if k.dirty {
				k.dirty = false
				must(k.file.Sync())
			}
		}
	})
	return k, value
}

func (k *kept) put(value string) {
	_, err := k.file.WriteAt(fmt.Appendf(nil, "%*s", width, value), 0)
	must(err)
	if k.dirty = true; k.always {
		must(k.file.Sync())
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
