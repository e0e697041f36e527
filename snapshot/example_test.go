package snapshot_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// A process writes two snapshots; the newer one rots; the next process reports that and
// restores the older one.
func Example() {
	disk := vfs.NewMem()
	store, _, err := snapshot.Open(disk, "snapshots", snapshot.Options{})
	if err != nil {
		panic(err)
	}
	for slot := snapshot.Slot(100); slot <= 200; slot += 100 {
		h := snapshot.Handle{Slot: slot, Ballot: snapshot.Ballot{Round: 3, Node: 1}, Members: []snapshot.NodeID{1, 2, 3}, Epoch: 2}
		id, err := store.Write(h, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "all rows as of slot %d", slot)
			return err
		})
		if err != nil {
			panic(err) // the log must not be truncated
		}
		fmt.Println("published", id.Handle)
	}
	_ = store.Close()
	_ = disk.Corrupt("snapshots/00000000000000000200.snap", 80, 1)

	store, report, err := snapshot.Open(disk, "snapshots", snapshot.Options{})
	if err != nil {
		panic(err)
	}
	for _, bad := range report.Bad {
		fmt.Println(bad.Err)
	}
	for {
		last, ok := store.Latest()
		if !ok {
			fmt.Println("nothing to restore")
			return
		}
		err := store.Load(last.Handle, func(r io.Reader) error {
			rows, err := io.ReadAll(r)
			fmt.Printf("%s\n", rows)
			return err
		})
		if err == nil {
			return
		}
		if !errors.Is(err, snapshot.ErrDamaged) {
			panic(err)
		}
		fmt.Println(err) // it has rotted: try the next older one
	}
	// Output:
	// published slot 100 ballot 3.1 epoch 2 members 1 2 3
	// published slot 200 ballot 3.1 epoch 2 members 1 2 3
	// snapshot: snapshots/00000000000000000200.snap: damaged at offset 60: wrong checksum of chunk 1
	// all rows as of slot 100
}
