package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/schema"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// writeBackup makes a backup of a founded cell with a session and a user row, and
// returns its name below root.
func writeBackup(t *testing.T, root string, changes ...func(tx *db.Txn)) string {
	d := db.New()
	tx := d.Begin()
	for _, c := range []command.Command{
		command.Epoch{Master: 2, Ballot: rows.Ballot{Round: 7, Node: 2}},
		command.Found{Guard: 1, Founding: tree.OpenFounding(), Secret: [32]byte{1}},
		command.Call{Guard: 1, Op: api.OpenSession{Nonce: api.Nonce{1}}, Principal: "ann"},
		command.Call{Guard: 1, Session: 3, Seq: 1, Op: api.Put{Key: "k", Value: "v"}},
	} {
		require.Equal(t, command.Executed, command.Apply(tx, string(command.Append(nil, c))).Verdict)
	}
	rows.SetLongestLease(tx, 12*time.Second)
	for _, change := range changes {
		change(tx)
	}
	tx.Commit()
	cell, _ := rows.CellID(d)
	p := store.Place{FS: vfs.NewOS(root), Dir: "far"}
	h := paxos.Handle{Slot: 42, Ballot: paxos.Ballot{Round: 7, Node: 2}, Members: []paxos.NodeID{1, 2, 3}, Epoch: 1}
	_, err := p.Write(store.Backup{Handle: h, Rows: d.View(), Cell: cell})
	require.NoError(t, err)
	return p.Directory(cell) + "/00000000000000000042.snap"
}

func TestABackupIsChecked(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	name, w := writeBackup(t, root), newWorld()
	require.Equal(t, cli.ExitClean, w.do("backup", "check", name), w.err.String())
	cell := filepath.Base(filepath.Dir(name))
	require.Regexp(t, `^good: slot 42 ballot 7\.2 epoch 1 members 1 2 3, \d+ bytes, sum [0-9a-f]{16}
`+cell+`: 4 commands, 1 sessions, 3 nodes, 0 locks held, 1 user rows
$`, w.out.String())
	require.Equal(t, cli.ExitClean, w.do("backup", "check", "-o", "json", name), w.err.String())
	require.Equal(t, backupSchema, schema.Accept(t, projectAt, w.out.Bytes()))
	var facts backupFacts
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &facts))
	require.Equal(t, backup.Summary{Cell: cell, Commands: 4, Sessions: 1, Nodes: 3, Rows: 1}, facts.Summary)
	require.EqualValues(t, 42, facts.Slot)

	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	raw[len(raw)/2] ^= 1
	require.NoError(t, os.WriteFile("rotten", raw, 0o644))
	require.Equal(t, cli.ExitUsage, w.do("backup", "check", "rotten"))
	require.Contains(t, w.err.String(), "chubby: rotten: damaged at offset")
	require.Contains(t, w.err.String(), ": copy the file anew, or take an older backup\n")
	writeSnapshot(t, root) // what is in it is no cell
	require.Equal(t, cli.ExitUsage, w.do("backup", "check", snapName))
	for _, args := range [][]string{{"nowhere"}, {"far"}, {}, {name, "-o", "xml"}} {
		require.Equal(t, cli.ExitUsage, w.do(append([]string{"backup", "check"}, args...)...), args)
	}
}

func TestACellIsMadeOfABackup(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	name, w := writeBackup(t, root), newWorld()
	require.Equal(t, cli.ExitClean, w.do("backup", "restore", name, "--members", "5,4,6", "--to", "new/cell"), w.err.String())
	require.Regexp(t, `^replica 4: new/cell/4
replica 5: new/cell/5
replica 6: new/cell/6
the backup ends with slot 42 in epoch 1; the new cell continues from slot \d{14,} in epoch \d{14,}
$`, w.out.String())
	require.Equal(t, "Move each directory to its machine, and start each replica once with --bootstrap. The cell serves 1m0s later.\n", w.err.String())
	var sums []db.Sum
	for _, id := range []string{"4", "5", "6"} {
		st, rec, _, err := store.Open(vfs.NewOS(root), "new/cell/"+id, store.Options{Salt: func() uint64 { return 1 }})
		require.NoError(t, err)
		require.NoError(t, st.Close())
		require.Equal(t, []paxos.NodeID{4, 5, 6}, rec.Snapshot.Members)
		value, _ := rec.Rows.Get(rows.UserKey("k"))
		require.Equal(t, "v", value)
		sums = append(sums, rec.Rows.Checksum())
	}
	require.Equal(t, []db.Sum{sums[0], sums[0], sums[0]}, sums)
	require.Equal(t, cli.ExitClean, w.do("backup", "restore", name, "--members", "1", "--to", "short", "--lease", "1ms"), w.err.String())
	require.Contains(t, w.err.String(), "The cell serves 12s later.", "the backup has a longer lease")
	require.Equal(t, cli.ExitClean, w.do("backup", "restore", name, "--members", "1,2", "--to", "told", "-o", "json"), w.err.String())
	require.Equal(t, restoreSchema, schema.Accept(t, projectAt, w.out.Bytes()))
	var told restored
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &told))
	require.Equal(t, []restoredReplica{{1, "told/1"}, {2, "told/2"}}, told.Replicas)
	require.DirExists(t, "told/2")
	require.Equal(t, []any{name, snapshot.Slot(42), snapshot.Epoch(1), time.Minute}, []any{told.File, told.Slot, told.Epoch, told.Wait})
	require.Greater(t, told.NextSlot, paxos.Slot(42))
	require.Greater(t, told.NextEpoch, uint64(1))
	require.Contains(t, w.err.String(), "The cell serves 1m0s later.")

	require.Equal(t, cli.ExitUsage, w.do("backup", "restore", name, "--members", "5,4,6", "--to", "new/cell"))
	require.Contains(t, w.err.String(), "not empty")
	require.Equal(t, cli.ExitUsage, w.do("backup", "restore", name, "--members", "1,2,3", "--to", "new/cell/5"))
	require.Contains(t, w.err.String(), "--to new/cell/5: it has ")
	require.NoDirExists(t, "new/cell/5/1")
	for want, args := range map[string][]string{
		"--to is missing":      {name, "--members", "1"},
		"--members is missing": {name, "--to", "x"},
		"comes twice":          {name, "--to", "x", "--members", "1,1"},
		"too large":            {name, "--to", "x", "--members", "4294967296"},
		"a lease of 1h":        {name, "--to", "x", "--members", "1", "--lease", "1h"},
		"stat nowhere: no such file or directory: name a file below backup_dir, such as cell-ID/SLOT.snap": {"nowhere", "--to", "x", "--members", "1"},
		"-o \"xml\"":       {name, "--to", "x", "--members", "1", "-o", "xml"},
		"takes one":        {"--to", "x", "--members", "1"},
		"not a directory":  {name, "--to", name, "--members", "1"},
		"invalid argument": {name, "--to", "x", "--members", "one"},
	} {
		require.Equal(t, cli.ExitUsage, w.do(append([]string{"backup", "restore"}, args...)...), args)
		require.Contains(t, w.err.String(), want)
	}
	require.NoDirExists(t, "x")
	require.Equal(t, cli.ExitClean, w.do("backup", "restore", "--help"))
	require.Contains(t, w.out.String(), "chubby serve --bootstrap", "what comes next is said")
}

// A backup of a newer program is refused before anything is written. The error names the version of the backup and
// that of this program, and says what to do.
func TestABackupOfANewerProgramIsRefused(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	w := newWorld()
	file, err := os.ReadFile(writeBackup(t, root))
	require.NoError(t, err)
	file[4]++ // the format of snapshots
	require.NoError(t, os.WriteFile("file.snap", file, 0o644))

	var stream bytes.Buffer
	_, err = db.New().View().WriteTo(&stream)
	require.NoError(t, err)
	stream.Bytes()[8]++ // the format of rows
	s, _, err := snapshot.Open(vfs.NewOS(root), "streams", snapshot.Options{})
	require.NoError(t, err)
	_, err = s.Write(snapshot.Handle{Slot: 42, Members: []snapshot.NodeID{1}, Epoch: 1}, func(out io.Writer) error {
		_, err := out.Write(stream.Bytes())
		return err
	})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	for forged, versions := range map[string]string{
		"file.snap":                         fmt.Sprintf("unknown format version %d, this program reads %d", file[4], file[4]-1),
		"streams/00000000000000000042.snap": fmt.Sprintf("version %d, this program reads version %d", stream.Bytes()[8], stream.Bytes()[8]-1),
		"rows/" + writeBackup(t, filepath.Join(root, "rows"), func(tx *db.Txn) {
			rows.SetConstant(tx, rows.ConstantVersion(command.NewestVersion+1), rows.VersionValue)
			tx.Put("?", "a row of a family that this program does not know")
		}): fmt.Sprintf("the cell used version %d of the commands, and this program knows them up to version %d", command.NewestVersion+1, command.NewestVersion),
	} {
		for _, args := range [][]string{{"restore", forged, "--members", "1,2,3", "--to", "new"}, {"check", forged}} {
			require.Equal(t, cli.ExitUsage, w.do(append([]string{"backup"}, args...)...), args)
			require.Empty(t, w.out.String())
			require.Contains(t, w.err.String(), "chubby: "+forged+": ")
			require.Contains(t, w.err.String(), versions)
			require.Contains(t, w.err.String(), ": a newer program made it: use the chubby of the replica that wrote it, or a newer one\n")
			require.NoDirExists(t, "new")
		}
	}
}
