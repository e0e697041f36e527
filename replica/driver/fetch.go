package driver

import (
	"slices"
	"time"

	"github.com/chubbycell/chubby/paxos"
)

// fetch gets one snapshot from a peer, piece by piece, for a replica that lacks slots
// which peers have dropped (P7.06). It asks for the next piece when the last one is on the
// disk, so no more than one is ever in memory. It asks again, with doubling waits, the
// first of them longer than pieces usually take. It turns to another source when one does
// not answer, and back to one that answers late. It begins anew when its source has the
// snapshot no more, or has not answered for long. A mistake here costs time only: a bulk
// job checks every byte of what is installed.
type fetch struct {
	peers []paxos.NodeID // in ascending order
	pause time.Duration  // before asking again, at first
	retry time.Duration  // the longest wait after a piece that could not be written

	slot      paxos.Slot   // a snapshot of this slot or above helps; 0: idle
	source    paxos.NodeID // the peer that is asked
	turned    paxos.NodeID // the peer it turned to last: the next one is behind it in the ring
	id        SnapshotID   // what is being fetched, once a source has named it
	lastGiver paxos.NodeID // the peer that gave the last piece of it; 0: none did
	next      int64        // where the next piece begins
	due       time.Time    // ask again
	wait      time.Duration
	first     time.Time     // when the next piece was asked for first
	usual     time.Duration // wait for a piece before it is asked for again
	missed    int           // missing answers, in a row
	failed    int           // how often this transfer began anew since the disk took no piece
	writing   bool
	piece     *Piece // for the disk
	dropped   bool   // the disk must drop what it holds of a transfer
	asks      []ask  // to be sent
}

// ask is a message to a source.
type ask struct {
	to paxos.NodeID
	m  Ask
}

// begin starts a transfer. One that is under way goes on, and accepts an older snapshot if
// that will do: a peer that has dropped fewer slots than the first source has an older
// snapshot and the records that follow it, and the first source may never come back.
func (f *fetch) begin(now time.Time, b paxos.Behind) {
	switch {
	case len(f.peers) == 0:
		return
	case f.slot != 0:
		f.slot = min(f.slot, b.Floor-1)
		return
	}
	f.slot, f.source, f.failed = b.Floor-1, b.Source, 0
	f.restart(now)
}

// maxMissed is how many answers in a row must be missing before a Gone of another peer
// ends a transfer. Two would do if only crashed sources missed answers. But a source whose
// disk needed a little longer for a piece was left each time for one that had another
// snapshot, and that one in the same way, for ever.
const maxMissed = 4

// restart begins anew: it asks the present source for any snapshot it has.
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

// onPiece takes a piece from a peer and reports whether it was the awaited one. It may
// come when another source is asked already: otherwise no piece of a source that needs
// longer than the wait would ever be taken.
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

// setUsualWait adapts the wait to how long a piece took. If the wait is too short, the
// source reads the same piece twice, and the next one takes longer.
func (f *fetch) setUsualWait(now time.Time) {
	f.usual = min(max(2*now.Sub(f.first), f.usual-f.usual/8, f.pause), 8*f.pause)
}

// onGone notes that a peer does not have what it was asked for. A peer that was asked
// before counts while the present source does not answer. It reports whether the transfer
// begins anew.
func (f *fetch) onGone(now time.Time, from paxos.NodeID, m Gone) bool {
	switch {
	case f.slot == 0 || f.writing || !f.id.Equal(m.ID):
		return false
	case f.id.IsZero():
		return false // it has no snapshot that helps: another peer is asked when that is due
	case from != f.source && f.missed == 0:
		return false // the source goes on giving
	case from != f.source && from != f.lastGiver && f.missed < maxMissed:
		return false // a late answer: another source was asked since, and has not missed enough answers yet
	case from != f.lastGiver && f.missed < maxMissed:
		f.source, f.missed = f.lastGiver, f.missed&^1 // it has the rest, and may be slow: it is asked next
		return false
	}
	f.source = from
	f.restart(now)
	return true
}

// onPut takes the result of writing a piece: the offset of the next one, or the end.
func (f *fetch) onPut(now time.Time, d PutDone) {
	f.writing, f.piece = false, nil
	switch {
	case f.slot == 0 || !f.id.Equal(d.ID): // it was given up meanwhile
	case d.Rows != nil:
		f.stop()
		f.dropped = false
	case d.Err != nil:
		// A full disk may stay full, and each time the source sends all that there is room for.
		f.id, f.lastGiver, f.next, f.dropped = SnapshotID{}, 0, 0, true
		f.due = now.Add(max(f.wait, min(f.pause<<min(f.failed, 16), f.retry)))
		f.failed++
		f.first = f.due
	default:
		f.next, f.first = d.Next, now
		f.ask(now)
	}
}

// onApplied notes how far the replica is: records may have helped it meanwhile.
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

// askAgain asks again when it is due. It reports whether it turned to another source.
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

// wake is when askAgain has something to do; zero: no need.
func (f *fetch) wake() time.Time {
	if f.slot == 0 || f.writing {
		return time.Time{}
	}
	return f.due
}
