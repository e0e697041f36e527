package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

func (a *app) snapshotCommand() *cobra.Command {
	var form cli.Form
	dump := &cobra.Command{
		Use:   "dump FILE",
		Short: "Print what a snapshot holds, one piece a line",
		Long: `Dump prints the header of a snapshot (slot, ballot, epoch and members of the
state in it), its chunks, and its end. It checks every byte, changes nothing and
takes no lock. It reports damage with file and offset, after everything before it. The
exit code is 2 for damage, for a file that is not a snapshot, and for an unknown version.

With -o json it prints one object: file, slot, ballot, epoch, members, chunk_size,
chunks (number, offset, bytes, crc), and, of a snapshot that is good, bytes, size
and sum. Checksums are hexadecimal.

` + cli.ExitHelp,
		Args: cli.One("file of a snapshot"),
		RunE: abandoned(func(args []string) error {
			if err := form.Check(); err != nil {
				return err
			}
			return a.snapshotDump(args[0], form)
		}),
	}
	form.Register(dump)
	return cli.Group("snapshot", "Look into the files of snapshots", dump)
}

func (a *app) snapshotDump(name string, form cli.Form) error {
	if err := a.SpareInput(name); err != nil {
		return err
	}
	fsys, base, err := findFile(name, "name a file such as DIR/snapshots/SLOT.snap, in the directory of a replica")
	if err != nil {
		return err
	}
	if form != "json" {
		err = snapshot.Dump(fsys, base, a.Out)
	} else {
		d := snapshotDump{File: name, Members: []snapshot.NodeID{}, Chunks: []chunkDump{}}
		err = snapshot.Parts(fsys, base, d.add)
		if jsonErr := a.Document(snapshotSchema, d); jsonErr != nil {
			return jsonErr
		}
	}
	if err != nil {
		return cli.Usage("%s", asTypedBy("snapshot", err, base, name))
	}
	return nil
}

// findFile is the directory of a file, to be read only, and its name in it. advice is what to name if there is none.
func findFile(name, advice string) (dir vfs.FS, base string, err error) {
	if info, err := os.Stat(name); err != nil {
		return nil, "", cli.Usage("%v: %s", err, advice)
	} else if info.IsDir() {
		return nil, "", cli.Usage("%s: a directory; name one of the files in it", name)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, "", cli.Usage("%v", err)
	}
	return vfs.NewReadOnlyOS(filepath.Dir(path)), filepath.Base(path), nil
}

// snapshotDump is what dump prints with -o json; the help says so.
type snapshotDump struct {
	File      string            `json:"file"`
	Slot      snapshot.Slot     `json:"slot"`
	Ballot    string            `json:"ballot"`
	Epoch     snapshot.Epoch    `json:"epoch"`
	Members   []snapshot.NodeID `json:"members"`
	ChunkSize int               `json:"chunk_size"`
	Chunks    []chunkDump       `json:"chunks"`
	Bytes     int64             `json:"bytes,omitempty"`
	Size      int64             `json:"size,omitempty"`
	Sum       string            `json:"sum,omitempty"`
}

type chunkDump struct {
	Number uint64 `json:"number"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	CRC    string `json:"crc"`
}

func (d *snapshotDump) add(p snapshot.Part) error {
	switch {
	case p.Header != nil:
		h := p.Header
		d.Slot, d.Ballot, d.Epoch, d.Members, d.ChunkSize = h.Slot, h.Ballot.String(), h.Epoch, h.Members, p.Chunk
	case p.End:
		d.Bytes, d.Size, d.Sum = p.Data, p.Offset+p.Bytes, fmt.Sprintf("%016x", p.Sum)
	default:
		d.Chunks = append(d.Chunks, chunkDump{p.Number, p.Offset, p.Data, fmt.Sprintf("%08x", p.CRC)})
	}
	return nil
}
