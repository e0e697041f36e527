package driver

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// fetch gets one snapshot from a peer, piece by piece, for a node that no records
// will help (P7.06): the next piece is asked for when the last one is on the
// disk, so that no more than one is ever in memory. It asks again, with doubling
// waits, the first of them longer than pieces usually take; turns to another source
// when one is silent, and back to one that answers late. A source that has moved on
// makes it begin anew, and one that is silent for long. It may be wrong and would
// only cost time: what is installed is checked by the bulk lane to the last byte.
type fetch struct {
	peers []paxos.NodeID // in ascending order
	pause time.Duration  // before asking again, at first

	slot      paxos.Slot   // a snapshot of this slot or above helps; 0: idle
	source    paxos.NodeID // who is asked
	turned    paxos.NodeID // whom it turned to last: the next one is behind it in the ring
	id        SnapshotID   // what is being fetched, once a source has named it
	lastGiver paxos.NodeID // who gave the last piece of it; 0: none did
	next      int64        // where the next piece begins
	due       time.Time    // ask again
	wait      time.Duration
	first     time.Time     // when the next piece was asked for first
	usual     time.Duration // wait for a piece before it is asked for again
	missed    int           // answers that did not come, in a row
	writing   bool
	piece     *Piece // for the disk
	dropped   bool   // what the disk holds of a transfer is of no use
	asks      []ask  // to be sent
}

// ask is a message to a source.
type ask struct {
	to paxos.NodeID
	m  Ask
}

// begin starts a transfer. One that is under way goes on, and takes less if that will
// do: who has dropped fewer slots than the source that it began with has an older
// snapshot, and the records that follow it; the other may never come back.
func (f *fetch) begin(now time.Time, b paxos.Behind) {
	switch {
	case len(f.peers) == 0:
		return
	case f.slot != 0:
		f.slot = min(f.slot, b.Floor-1)
		return
	}
	f.slot, f.source = b.Floor-1, b.Source
	f.restart(now)
}

// enough is how many answers in a row must be missing before somebody else's word, that
// he has not what is being fetched, ends a transfer. Two would do if only the dead were
// silent: one whose disk needs a little longer for a piece was left each time for a
// source that had another snapshot, and that one in the same way, for ever.
const maxMissed = 4

// anew asks the present source for whatever it has.
func (f *fetch) restart(now time.Time) {
	if !f.id.IsZero() {
		f.dropped = true
	}
	f.id, f.lastGiver, f.next, f.piece = SnapshotID{}, 0, 0, nil
	f.usual, f.first, f.turned = f.pause, now, f.source
	f.wait, f.missed = f.usual, 0
	f.ask(now)
}

func (f *fetch) ask(now time.Time) {
	f.due = now.Add(f.wait)
	m := Ask{ID: f.id, Offset: f.next}
	if f.id.IsZero() {
		m.Slot = f.slot
	}
	f.asks = append(f.asks, ask{to: f.source, m: m})
}

// got takes a piece from a peer. It says whether that was the one it waits for. It
// may come when another source is asked already: a source that is busy for longer
// than this one waits would never be heard otherwise.
func (f *fetch) onPiece(now time.Time, from paxos.NodeID, p Piece) bool {
	switch {
	case f.slot == 0 || f.writing || p.Offset != f.next:
		return false
	case f.id.IsZero() && p.ID.Handle.Slot < f.slot:
		return false
	case !f.id.IsZero() && !f.id.Equal(p.ID):
		return false
	}
	f.id, f.piece, f.writing = p.ID, &p, true
	f.setUsualWait(now)
	f.wait, f.missed = f.usual, 0
	f.source, f.lastGiver, f.turned = from, from, from
	return true
}

// learn takes in how long a piece took. Who asks again before it can have come has the
// source read the same twice, and the next one takes longer.
func (f *fetch) setUsualWait(now time.Time) {
	f.usual = min(max(2*now.Sub(f.first), f.usual-f.usual/8, f.pause), 8*f.pause)
}

// gone takes the word of a source that it has not what was asked for, of one asked
// before as well while the present one is silent. It says whether the transfer
// begins anew.
func (f *fetch) onGone(now time.Time, from paxos.NodeID, m Gone) bool {
	switch {
	case f.slot == 0 || f.writing || !f.id.Equal(m.ID):
		return false
	case f.id.IsZero():
		return false // it has none that helps: another one is asked when it is due
	case from != f.source && f.missed == 0:
		return false // the source goes on giving
	case from != f.source && from != f.lastGiver && f.missed < maxMissed:
		return false // late: another one is asked since, and did not answer twice yet
	case from != f.lastGiver && f.missed < maxMissed:
		f.source, f.missed = f.lastGiver, f.missed&^1 // who has the rest, and may be slow: it is asked next
		return false
	}
	f.source = from
	f.restart(now)
	return true
}

// put takes in what the disk did with a piece: the place of the next one, or the
// end.
func (f *fetch) onPut(now time.Time, d PutDone) {
	f.writing, f.piece = false, nil
	switch {
	case f.slot == 0 || !f.id.Equal(d.ID): // it was given up meanwhile
	case d.Rows != nil:
		f.stop()
		f.dropped = false
	case d.Err != nil:
		f.id, f.lastGiver, f.next, f.dropped = SnapshotID{}, 0, 0, true
		f.due = now.Add(f.wait)
		f.first = f.due
	default:
		f.next, f.first = d.Next, now
		f.ask(now)
	}
}

// applied notes how far the node is: it may have been helped by records.
func (f *fetch) onApplied(upto paxos.Slot) {
	if f.slot != 0 && upto >= max(f.slot, f.id.Handle.Slot) {
		f.stop()
	}
}

// stop makes it idle.
func (f *fetch) stop() {
	f.dropped = f.dropped || !f.id.IsZero()
	f.slot, f.id, f.lastGiver, f.next, f.due = 0, SnapshotID{}, 0, 0, time.Time{}
	f.asks = f.asks[:0]
	if f.piece != nil {
		f.piece, f.writing = nil, false
	}
}

// tend asks again when it is time. It says whether another source is asked.
func (f *fetch) askAgain(now time.Time) (switched bool) {
	if f.slot == 0 || f.writing || now.Before(f.due) {
		return false
	}
	if f.missed++; f.missed%2 == 0 {
		f.source, switched = f.other(), true
	}
	f.wait = min(2*f.wait, 8*f.pause)
	f.ask(now)
	return switched
}

// other is the next peer in the ring that is not asked now.
func (f *fetch) other() paxos.NodeID {
	for range 2 {
		i, found := slices.BinarySearch(f.peers, f.turned)
		if found {
			i++
		}
		if f.turned = f.peers[i%len(f.peers)]; f.turned != f.source {
			break
		}
	}
	return f.turned
}

// wake is when tend has something to do.
func (f *fetch) wake() time.Time {
	if f.slot == 0 || f.writing {
		return time.Time{}
	}
	return f.due
}
