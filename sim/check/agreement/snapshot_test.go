package agreement

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// decided returns facts in which slots 1 to n are chosen and applied by replica 1, with empty
// rows.
func decided(t *testing.T, n paxos.Slot) *facts {
	f := newFacts(t)
	for s := paxos.Slot(1); s <= n; s++ {
		f.vote(1, s, ballot(1, 1), "a")
		f.vote(2, s, ballot(1, 1), "a")
		f.apply(1, s, "a", 0)
	}
	f.good()
	return f
}

func (f *facts) publish(id paxos.NodeID, s paxos.Slot) {
	f.h.Snapshots.OnPublished(id, driver.SnapshotID{Handle: paxos.Handle{Slot: s, Members: []paxos.NodeID{1, 2, 3}}, Size: 9}, nil)
}

// writes makes a replica publish a snapshot of its own, with these rows.
func (f *facts) writes(id paxos.NodeID, s paxos.Slot, rows ...string) {
	d := db.New()
	tx := d.Begin()
	for _, key := range rows {
		tx.Put(key, "x")
	}
	tx.Commit()
	view := d.View()
	f.h.Snapshots.OnPublished(id, driver.SnapshotID{Handle: paxos.Handle{Slot: s, Members: []paxos.NodeID{1, 2, 3}}, Size: 9}, &view)
}

// begins restarts replica 1 with a snapshot of empty rows, and with its votes from a slot on.
func (f *facts) begins(snap, floor, votes paxos.Slot, errs ...error) {
	var bad []snapshot.Bad
	for _, err := range errs {
		bad = append(bad, snapshot.Bad{Slot: 9, Err: err})
	}
	f.beginsWith(snap, floor, votes, bad...)
}

func (f *facts) beginsWith(snap, floor, votes paxos.Slot, bad ...snapshot.Bad) {
	rec := store.Recovered{Recovered: paxos.Recovered{
		Promise: ballot(1, 1), Snapshot: paxos.Handle{Slot: snap}, Floor: floor,
	}}
	if snap > 0 {
		rec.Rows = db.New()
	}
	for s := votes; s < paxos.Slot(len(f.h.Slots)); s++ {
		rec.Records = append(rec.Records, paxos.Voted{Slot: s, Ballot: ballot(1, 1), Value: val("a")})
	}
	f.h.Logs.OnRecovered(1, rec, store.Report{Bad: bad})
}

func TestSnapshotsThatStandInForVotes(t *testing.T) {
	for name, c := range map[string]struct {
		breaks string
		what   func(*facts)
	}{
		"as it should be":               {"", func(f *facts) { f.publish(1, 2); f.publish(1, 3); f.h.Snapshots.OnTruncate(1, 3); f.begins(3, 4, 4) }},
		"it keeps more":                 {"", func(f *facts) { f.publish(1, 2); f.publish(1, 3); f.h.Snapshots.OnTruncate(1, 2); f.begins(3, 2, 1) }},
		"a newer one than was told":     {"", func(f *facts) { f.begins(3, 0, 1) }},
		"a vote is missing above":       {"S3", func(f *facts) { f.publish(1, 3); f.begins(3, 4, 5) }},
		"a vote is missing below":       {"S3", func(f *facts) { f.publish(1, 3); f.begins(3, 2, 3) }},
		"the snapshot is gone":          {"S3", func(f *facts) { f.publish(1, 3); f.begins(2, 2, 2) }},
		"it is bad, and nothing rotted": {"S17", func(f *facts) { f.publish(1, 3); f.begins(2, 2, 2, errors.New("rot")) }},
		"it could not be read":          {"", func(f *facts) { f.publish(1, 3); f.begins(2, 2, 2, vfs.ErrIO) }},
		"it is bad, and it rotted":      {"", func(f *facts) { f.h.Budget.Take(1); f.publish(1, 3); f.begins(2, 2, 2, errors.New("rot")) }},
		"the log lacks more":            {"S3", func(f *facts) { f.publish(1, 2); f.begins(2, 4, 4) }},
		"of a slot that none applied":   {"S3", func(f *facts) { f.publish(1, 9) }},
		"with the rows of its slot":     {"", func(f *facts) { f.writes(1, 3) }},
		"with others":                   {"S6", func(f *facts) { f.writes(1, 3, "a") }},
		"with others, and it was made to have them": {"S17", func(f *facts) {
			f.h.Budget.Take(1)
			f.h.Rows.OnRowStray(1)
			f.writes(1, 3, "a")
		}},
		"that only a strayed replica applied": {"S6", func(f *facts) {
			f.h.Slot(3).Summed = false
			f.publish(1, 3)
		}},
		"dropped too early":           {"S3", func(f *facts) { f.publish(1, 1); f.publish(1, 2); f.h.Snapshots.OnTruncate(1, 4) }},
		"dropped on the word of one":  {"S3", func(f *facts) { f.publish(1, 2); f.h.Snapshots.OnTruncate(1, 2) }},
		"dropped up to the newer one": {"S3", func(f *facts) { f.publish(1, 1); f.publish(1, 3); f.h.Snapshots.OnTruncate(1, 3) }},
		"it began with the newer one": {"", func(f *facts) { f.publish(1, 1); f.publish(1, 3); f.begins(3, 2, 2); f.h.Snapshots.OnTruncate(1, 2) }},
		"kept for laggards": {"", func(f *facts) {
			f.publish(1, 4)
			f.publish(1, 5)
			f.h.Snapshots.Keep = 2
			f.h.Snapshots.OnTruncate(1, 3)
		}},
		"not kept for laggards": {"L1", func(f *facts) {
			f.publish(1, 4)
			f.publish(1, 5)
			f.h.Snapshots.Keep = 2
			f.h.Snapshots.OnTruncate(1, 4)
		}},
		"begins without votes": {"S3", func(f *facts) {
			f.publish(1, 2)
			f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(1, 1), Floor: 4, VotesEnd: 9})
		}},
		"begins without values that only its newest snapshot has": {"L1", func(f *facts) {
			f.writes(1, 2)
			f.writes(1, 5)
			f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(1, 1), Floor: 4, VotesEnd: 9})
		}},
		"begins with values from its older snapshot on": {"", func(f *facts) {
			f.writes(1, 2)
			f.writes(1, 5)
			f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(1, 1), Floor: 3, VotesEnd: 9})
		}},
		"begins without values that its log had dropped, and one of the two snapshots is bad since": {"", func(f *facts) {
			f.writes(1, 2)
			f.writes(1, 4)
			f.writes(1, 5)
			f.h.Snapshots.OnTruncate(1, 5)
			f.h.Disks[1].stock.spoil(4)
			f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(1, 1), Floor: 5, VotesEnd: 9})
		}},
		"begins without values that it never had": {"", func(f *facts) {
			f.writes(1, 2)
			f.publish(1, 5)
			f.h.Logs.OnStarted(1, paxos.Status{Promised: ballot(1, 1), Floor: 6, VotesEnd: 9})
		}},
		"begins with other rows": {"S6", func(f *facts) {
			f.h.Slot(3).Sum = db.Sum{A: 1}
			f.publish(1, 3)
			f.begins(3, 4, 4)
		}},
		"installs other rows": {"S6", func(f *facts) {
			f.h.Snapshots.OnInstalled(2, &core.Installed{Handle: paxos.Handle{Slot: 3}, Sum: db.Sum{A: 1}})
		}},
		"installs, and goes on": {"", func(f *facts) {
			f.h.Snapshots.OnInstalled(2, &core.Installed{Handle: paxos.Handle{Slot: 3}})
			f.apply(2, 4, "a", 0)
		}},
		"installs, and is as all others": {"S6", func(f *facts) {
			f.h.Rows.OnRowStray(2)
			f.h.Snapshots.OnInstalled(2, &core.Installed{Handle: paxos.Handle{Slot: 3}})
			f.h.Rows.OnStopped(2, core.ErrMinority)
		}},
		"installs, and repeats": {"S2", func(f *facts) {
			f.h.Snapshots.OnInstalled(2, &core.Installed{Handle: paxos.Handle{Slot: 3}})
			f.apply(2, 3, "a", 0)
		}},
		"goes back":     {"S2", func(f *facts) { f.h.Snapshots.OnInstalled(1, &core.Installed{Handle: paxos.Handle{Slot: 3}}) }},
		"what is new":   {"S3", func(f *facts) { f.h.Snapshots.OnInstalled(2, &core.Installed{Handle: paxos.Handle{Slot: 7}}) }},
		"a piece of it": {"", func(f *facts) { f.publish(1, 3); f.gives(1, 3) }},
		"of nothing":    {"I-W1", func(f *facts) { f.publish(1, 3); f.gives(1, 4) }},
		"not its own":   {"I-W1", func(f *facts) { f.publish(1, 3); f.gives(2, 3) }},
		"bytes":         {"I-W1", func(f *facts) { f.h.Claims.OnMessage(1, 2, "\x01\x41\x03") }},
	} {
		t.Run(name, func(t *testing.T) {
			f := decided(t, 5)
			c.what(f)
			if c.breaks == "" {
				f.good()
			} else {
				f.breaks(c.breaks)
			}
		})
	}
}

func (f *facts) gives(id paxos.NodeID, s paxos.Slot) {
	p := driver.Piece{ID: driver.SnapshotID{Handle: paxos.Handle{Slot: s, Members: []paxos.NodeID{1}}, Size: 9}, Data: "x"}
	f.h.Claims.OnMessage(id, 3, string(driver.AppendTransfer(nil, p)))
}

func TestAnOlderSnapshotIsCounted(t *testing.T) {
	f := decided(t, 5)
	f.h.Budget.Take(1)
	f.publish(1, 3)
	f.begins(2, 2, 2, errors.New("rot"))
	require.Equal(t, 1, f.h.Snapshots.Older)
}

// The pieces that a replica passes to its disk are in order, and of one snapshot (I-W2).
func TestIW2Pieces(t *testing.T) {
	id := func(slot paxos.Slot) driver.SnapshotID {
		return driver.SnapshotID{Handle: paxos.Handle{Slot: slot, Members: []paxos.NodeID{1, 2, 3}}, Size: 9}
	}
	for name, c := range map[string]struct {
		id     paxos.Slot
		offset int64
		breaks string
	}{
		"the next one":             {3, 4, ""},
		"the first one again":      {3, 0, ""},
		"the first one of another": {4, 0, ""},
		"one of another":           {4, 4, "I-W2"},
		"one too far":              {3, 5, "I-W2"},
		"one that it has":          {3, 2, "I-W2"},
	} {
		t.Run(name, func(t *testing.T) {
			f, p := newFacts(t), Pieces{}
			f.h.Snapshots.OnPiecePut(2, &p, driver.Piece{ID: id(3), Data: "abcd"})
			f.good()
			f.h.Snapshots.OnPiecePut(2, &p, driver.Piece{ID: id(c.id), Offset: c.offset, Data: "ef"})
			if c.breaks == "" {
				f.good()
				return
			}
			f.breaks(c.breaks)
		})
	}
}
