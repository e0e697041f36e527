package driver

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
)

// duet is a laggard, node 1, and its only living source, node 2, whose bulk jobs
// needs long for a snapshot of its own and has always one to write. Node 3 is dead.
type duet struct {
	*fetch
	source bulkScheduler
	now    time.Time
	write  time.Duration // for one snapshot
	read   time.Duration // for one piece
	rival  bool          // node 3 is alive, and has nothing that node 2 has
	newest paxos.Slot
	later  []event
	reads  int
}

// event is what happens at an instant.
type event struct {
	at time.Time
	do func()
}

const (
	duetPieces = 100
	duetHop    = 2 * time.Millisecond  // from one to the other
	duetDisk   = 15 * time.Millisecond // for a piece
)

// newDuet lets the laggard begin when the source has been at its snapshots for
// the given time.
func newDuet(write, late time.Duration) *duet {
	const pause = 200 * time.Millisecond
	d := &duet{
		fetch:  &fetch{peers: []paxos.NodeID{2, 3}, pause: pause},
		source: bulkScheduler{least: 1 << 40, every: 1, retry: time.Second, hold: 900 * time.Millisecond, quiet: 8 * pause},
		now:    time.Unix(100, 0),
		write:  write,
		newest: 10,
	}
	d.source.last = d.newest
	for begin := d.now.Add(late); d.now.Before(begin); {
		d.step()
	}
	d.begin(d.now, paxos.Behind{Source: 2, Floor: 8})
	return d
}

func (d *duet) after(t time.Duration, do func()) { d.later = append(d.later, event{d.now.Add(t), do}) }

// step lets a millisecond pass.
func (d *duet) step() {
	d.now = d.now.Add(time.Millisecond)
	due := d.later
	d.later = nil
	for _, e := range due {
		if d.now.Before(e.at) {
			d.later = append(d.later, e)
			continue
		}
		e.do()
	}
	d.pull()
	d.serve()
}

// pull is the laggard's part.
func (d *duet) pull() {
	d.askAgain(d.now)
	for _, a := range d.asks {
		if a.to == 2 {
			d.after(duetHop, func() { d.source.addRead(1, a.m, 1) })
		} else if d.rival && !a.m.ID.IsZero() {
			d.after(2*duetHop, func() { d.onGone(d.now, 3, Gone{ID: a.m.ID}) })
		}
	}
	d.asks, d.dropped = nil, false
	if p := d.piece; p != nil {
		d.piece = nil
		d.after(duetDisk, func() {
			done := PutDone{ID: p.ID, Next: p.Offset + 1}
			if done.Next == duetPieces {
				done.Rows = db.New()
			}
			d.onPut(d.now, done)
		})
	}
}

// serve is the source's: it has always applied more, and the two newest stay.
func (d *duet) serve() {
	d.source.applied = d.source.last + 1
	if d.source.isSnapshotDue(d.now) {
		d.source.ready = &WriteJob{Handle: paxos.Handle{Slot: d.source.applied}}
	}
	switch job := d.source.nextJob(d.now, 0, &fetch{}).(type) {
	case WriteJob:
		d.after(d.write, func() {
			d.source.busy = false
			d.source.onWritten(d.now, nil)
			d.newest = d.source.last
		})
	case ReadJob:
		d.reads++
		d.after(d.read, func() {
			d.source.busy = false
			d.answer(job.Ask)
		})
	}
}

func (d *duet) answer(m Ask) {
	id := m.ID
	if id.IsZero() {
		id = idOf(d.newest, duetPieces)
	}
	if id.Handle.Slot+1 < d.newest {
		d.after(duetHop, func() { d.onGone(d.now, 2, Gone{ID: m.ID, Slot: m.Slot}) })
		return
	}
	p := Piece{ID: id, Offset: m.Offset, Data: "x"}
	d.source.onPieceSent(d.now, p)
	d.after(duetHop, func() { d.onPiece(d.now, 2, p) })
}

// However long a source needs for a snapshot of its own, a laggard gets one of it
// in the end: that it was cut short is seen, and an answer that comes when another
// source is asked counts.
func TestALaggardOutlastsASourceThatWritesSlowly(t *testing.T) {
	for _, write := range []time.Duration{0, 500, 1000, 1500, 1600, 1800, 2500, 3200, 4800, 6400, 12_800, 60_000} {
		for _, late := range []time.Duration{0, 2800} {
			t.Run(fmt.Sprintf("%d ms, %d ms on", write, late), func(t *testing.T) {
				d := newDuet(write*time.Millisecond, late*time.Millisecond)
				for end := d.now.Add(20 * (d.write + 5*time.Second)); d.slot != 0 && d.now.Before(end); {
					d.step()
				}
				require.Zero(t, d.slot, "the source is at the snapshot of slot %d, the laggard has none", d.newest)
			})
		}
	}
}

// A source whose disk needs longer for a piece than the laggard is used to wait is not left
// for one that has another snapshot; nor is it made to read each piece twice.
func TestALaggardStaysWithASlowSource(t *testing.T) {
	for _, read := range []time.Duration{1, 150, 250, 450, 700, 1500} {
		t.Run(fmt.Sprintf("%d ms for a piece", read), func(t *testing.T) {
			d := newDuet(0, 0)
			d.source.every, d.read, d.rival, d.reads = 1<<40, read*time.Millisecond, true, 0
			begun := d.now
			for d.slot != 0 && d.now.Sub(begun) < 10*time.Minute {
				d.step()
			}
			require.Zero(t, d.slot)
			require.LessOrEqual(t, d.reads, duetPieces+duetPieces/10)
		})
	}
}
