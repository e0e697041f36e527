package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cellcmd"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

func (a *app) backupCommand() *cobra.Command {
	return cli.Group("backup", "Write and check backups of a cell, and make a new cell from one",
		cellcmd.BackupCommand(), a.backupCheckCommand(), a.backupRestoreCommand())
}

func (a *app) backupCheckCommand() *cobra.Command {
	var form cli.Form
	check := &cobra.Command{
		Use:   "check FILE",
		Short: "Read a backup to its last row and say what is in it",
		Long: `Check reads a backup, or the snapshot of a replica. It verifies the checksums of every byte
and the rules of the cell for every row, and prints what the file contains. It changes nothing
and takes no lock, so it can run beside a replica. chubby backup restore accepts every file
that passes check.

With -o json it prints one object: file, slot, ballot, epoch, members, size (bytes), sum,
cell (the name of the cell's directory in backup_dir), commands, sessions, nodes,
locks_held, user_rows.

Exit codes:
    0  the backup is good
    2  usage: bad flags, or a file that is unreadable, damaged or cannot become a cell
    5  internal error
  130  interrupted`,
		Example: "  chubby backup check /mnt/far/chubby/cell-a0544f1c4a92ccb8/00000000000000000042.snap",
		Args:    cli.One("file of a backup"),
		RunE: abandoned(func(args []string) error {
			if err := form.Check(); err != nil {
				return err
			}
			return a.backupCheck(args[0], form)
		}),
	}
	form.Register(check)
	return check
}

// backupFacts is what check prints with -o json; the help says so.
type backupFacts struct {
	File    string            `json:"file"`
	Slot    snapshot.Slot     `json:"slot"`
	Ballot  string            `json:"ballot"`
	Epoch   snapshot.Epoch    `json:"epoch"`
	Members []snapshot.NodeID `json:"members"`
	Size    int64             `json:"size"`
	Sum     string            `json:"sum"`
	backup.Summary
}

func (a *app) backupCheck(name string, form cli.Form) error {
	b, err := a.loadBackup(name)
	if err != nil {
		return err
	}
	s, h := b.Summary(), b.ID.Handle
	if form == "json" {
		return a.Document(backupSchema, backupFacts{name, h.Slot, h.Ballot.String(), h.Epoch, h.Members, b.ID.Size, fmt.Sprintf("%016x", b.ID.Sum), s})
	}
	_, err = fmt.Fprintf(a.Out, "good: %v\n%s: %d commands, %d sessions, %d nodes, %d locks held, %d user rows\n",
		b.ID, s.Cell, s.Commands, s.Sessions, s.Nodes, s.Locks, s.Rows)
	return err
}

// loadBackup reads a backup by the name that the user has typed.
func (a *app) loadBackup(name string) (backup.Backup, error) {
	if err := a.SpareInput(name); err != nil {
		return backup.Backup{}, err
	}
	fsys, base, err := findFile(name, "name a file below backup_dir, such as cell-ID/SLOT.snap")
	if err != nil {
		return backup.Backup{}, err
	}
	b, err := backup.Load(fsys, base)
	if err != nil {
		pkg := "snapshot"
		if strings.HasPrefix(err.Error(), "backup: ") {
			pkg = "backup"
		}
		told := asTypedBy(pkg, err, base, name)
		if errors.Is(err, snapshot.ErrDamaged) {
			told += ": copy the file anew, or take an older backup"
		}
		return b, cli.Usage("%s", told)
	}
	return b, nil
}

func (a *app) backupRestoreCommand() *cobra.Command {
	var members []uint
	var to string
	var lease time.Duration
	var form cli.Form
	restore := &cobra.Command{
		Use:   "restore FILE --members 1,2,3 --to DIR",
		Short: "Make the directories of a new cell from a backup",
		Long: `Restore makes the data directories of a new cell from a backup: DIR/1, DIR/2 and so on, one
for each id of --members. Move each to the machine and the place where that replica keeps its
data (key dir) before the first replica starts, and start each replica once with
chubby serve --bootstrap. All directories must come from one restore.

No replica of the old cell may run, then or later. The new cell has the files and the limits
of the old one. Every change that was acknowledged after the backup's slot is lost, and all
sessions, locks, handles and sequencers of the old cell are void: the new cell has another
secret, and its numbers begin far above all numbers that the old cell may have given out.
Configure the new cell as the old one was. It serves only after --lease has passed, or the
longest lease that the backup records if that is longer, so that no client of the old cell
still relies on a lock; restore and chubby members say how long it waits.

Restore writes only into directories that are missing or empty, and DIR must not be the
directory of a replica. If restore is interrupted, remove what it made and start again: a
replica refuses to start with half of it.

With -o json it prints one object: file, slot, epoch (of the backup), next_slot, next_epoch
(from which the new cell continues), replicas[] (each with id, dir), wait_ns (for how long the
new cell will not serve).

Exit codes:
    0  the directories are made
    2  usage: bad flags, a backup that is unreadable or damaged, or a directory that cannot be used
    5  internal error
  130  interrupted`,
		Example: "  chubby backup restore 00000000000000000042.snap --members 1,2,3 --to new-cell",
		Args:    cli.One("file of a backup"),
		RunE: abandoned(func(args []string) error {
			if err := form.Check(); err != nil {
				return err
			}
			if to == "" {
				return cli.Usage("--to is missing: give a new directory, in which the directories of the replicas are made")
			}
			if len(members) == 0 {
				return cli.Usage("--members is missing: give the ids of the replicas of the new cell, such as 1,2,3")
			}
			r := backup.Restoration{Lease: lease, Made: time.Now()}
			for _, id := range members {
				if uint64(id) > uint64(^paxos.NodeID(0)) {
					return cli.Usage("--members %d: too large; an id is at most %d", id, uint64(^paxos.NodeID(0)))
				}
				r.Members = append(r.Members, paxos.NodeID(id))
			}
			return a.backupRestore(args[0], to, r, form)
		}),
	}
	f := restore.Flags()
	f.UintSliceVar(&members, "members", nil, "ids of the replicas of the new cell, separated by commas (required)")
	f.StringVar(&to, "to", "", "directory in which the directories of the replicas are made (required)")
	f.DurationVar(&lease, "lease", time.Minute, "longest session lease that the old cell granted, its session_lease_max; at most 10m")
	f.Lookup("members").DefValue = "" // the help shows no default
	cli.AtMost(restore, "lease", api.MaxLease)
	form.Register(restore)
	return restore
}

// spareReplica refuses to restore into the directory of a replica, which may run there.
func spareReplica(to string) error {
	for _, name := range []string{"member.json", "promise.a", "promise.b", "log", "snapshots"} {
		if _, err := os.Stat(filepath.Join(to, name)); err == nil {
			return cli.Usage("--to %s: it has %s, as the directory of a replica has: give a new directory, in which one for each replica is made", to, name)
		}
	}
	return nil
}

// restored is what restore prints with -o json; the help says so.
type restored struct {
	File      string            `json:"file"`
	Slot      snapshot.Slot     `json:"slot"`  // of the backup
	Epoch     snapshot.Epoch    `json:"epoch"` // of the backup
	NextSlot  paxos.Slot        `json:"next_slot"`
	NextEpoch uint64            `json:"next_epoch"`
	Replicas  []restoredReplica `json:"replicas"`
	Wait      time.Duration     `json:"wait_ns"` // for how long the new cell does not serve
}

type restoredReplica struct {
	ID  paxos.NodeID `json:"id"`
	Dir string       `json:"dir"`
}

func (a *app) backupRestore(name, to string, r backup.Restoration, form cli.Form) error {
	_, _ = rand.Read(r.Secret[:]) // never fails: it ends the program instead
	r.Nonce = api.Nonce{replica.Entropy(), replica.Entropy()}
	if err := r.Validate(); err != nil {
		return cli.Usage("%v", err)
	}
	b, err := a.loadBackup(name)
	if err != nil {
		return err
	}
	if err := spareReplica(to); err != nil {
		return err
	}
	from := b.ID.Handle
	made, err := b.Restore(r)
	if err != nil {
		return cli.Usage("%v", err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return cli.Usage("%v", err)
	}
	told := restored{name, from.Slot, from.Epoch, made.Handle.Slot, made.Handle.Epoch, nil, made.Wait}
	for _, id := range made.Handle.Members {
		if err := made.Write(vfs.NewOS(to), fmt.Sprint(id), store.Options{Salt: replica.Entropy}); err != nil {
			return cli.Usage("%s: %v", to, err)
		}
		x := restoredReplica{id, filepath.Join(to, fmt.Sprint(id))}
		if told.Replicas = append(told.Replicas, x); form != cli.FormJSON {
			fmt.Fprintf(a.Out, "replica %d: %s\n", x.ID, x.Dir)
		}
	}
	if form == cli.FormJSON {
		err = a.Document(restoreSchema, told)
	} else {
		err = a.Printf("the backup ends with slot %d in epoch %d; the new cell continues from slot %d in epoch %d\n",
			told.Slot, told.Epoch, told.NextSlot, told.NextEpoch)
	}
	a.Say("Move each directory to its machine, and start each replica once with --bootstrap. The cell serves %v later.", made.Wait)
	return err
}
