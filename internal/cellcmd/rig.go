package cellcmd

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/internal/torture"
	"github.com/chubbycell/chubby/wal/vfs"
	"github.com/chubbycell/chubby/wal/vfs/frail"
)

// rig are the flags by which chubby torture makes a replica's disk fail, and hears what the
// replica applies. They are hidden: no replica of a user needs them. docs/torture.md has them.
type rig struct {
	unsynced bool
	full     string
	applied  string
}

func (r *rig) register(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&r.unsynced, "unsynced-in-memory", false, "keep in memory what is not synced: kill -9 loses it")
	f.StringVar(&r.full, "full-while", "", "the disk is full while this file exists")
	f.StringVar(&r.applied, "applied-to", "", "append to this file what is applied")
	for _, name := range []string{"unsynced-in-memory", "full-while", "applied-to"} {
		_ = f.MarkHidden(name) // the flag exists
	}
}

// apply changes the options of a server.
func (r *rig) apply(o *server.Options) error {
	o.Disk = func(fsys vfs.FS) vfs.FS {
		if r.unsynced {
			fsys = frail.Volatile(fsys)
		}
		if r.full != "" {
			fsys = frail.Fillable(fsys, func() bool {
				_, err := os.Stat(r.full)
				return err == nil
			})
		}
		return fsys
	}
	if r.applied == "" {
		return nil
	}
	f, err := os.OpenFile(r.applied, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return cli.Usage("--applied-to: %v", err)
	}
	o.Observer = torture.NewApplied(f) // open until the process ends
	return nil
}
