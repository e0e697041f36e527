package setpx

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/wal/vfs"
)

const fileName = "appendonly.aof"

// appendOnly is the append-only file of an instance: a line for each change.
type appendOnly struct {
	file   vfs.File
	size   int64
	always bool // synced before a command is answered; else once a second
	dirty  bool
}

// open opens the file, or makes it in the first life. An error of the disk is outside of this
// model, and panics.
func open(n *lab.Node, fsync string) *appendOnly {
	a := &appendOnly{always: fsync == "always"}
	file, err := n.FS().Open(fileName)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = n.FS().Create(fileName)
		if err == nil {
			err = n.FS().SyncDir(".")
		}
	}
	must(err)
	a.file = file
	if !a.always {
		n.Go("fsync", func() {
			for {
				n.Sleep(time.Second)
				if a.dirty {
					a.dirty = false
					must(a.file.Sync())
				}
			}
		})
	}
	return a
}

// replay hands every whole line to apply, and cuts off what follows the last one, as
// aof-load-truncated does.
func (a *appendOnly) replay(apply func(effect string) bool) {
	size, err := a.file.Size()
	must(err)
	data := make([]byte, size)
	if size > 0 {
		_, err = a.file.ReadAt(data, 0)
		must(err)
	}
	for line := range strings.Lines(string(data)) {
		if !strings.HasSuffix(line, "\n") || !apply(strings.TrimSuffix(line, "\n")) {
			break
		}
		a.size += int64(len(line))
	}
	must(a.file.Truncate(a.size))
}

func (a *appendOnly) add(effect string) {
	line := effect + "\n"
	_, err := a.file.WriteAt([]byte(line), a.size)
	must(err)
	a.size += int64(len(line))
	a.dirty = true
	if a.always {
		must(a.file.Sync())
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
