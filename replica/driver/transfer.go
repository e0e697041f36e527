package driver

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
)

// outgoing is a message to another driver.
type outgoing struct {
	to paxos.NodeID
	m  Transfer
}

// peers are all members but this one, in ascending order.
func (c *Config) peers() []paxos.NodeID {
	ids := slices.Sorted(slices.Values(c.Core.Paxos.Members))
	return slices.DeleteFunc(ids, func(id paxos.NodeID) bool { return id == c.Core.Paxos.ID })
}

// onTransfer takes a message of another driver.
func (d *Driver) onTransfer(from paxos.NodeID, wire string) {
	m, err := DecodeTransfer(wire)
	if err != nil || !slices.Contains(d.fetch.peers, from) {
		d.count.MalformedPeer++
		return
	}
	switch m := m.(type) {
	case Ask:
		d.bulk.addRead(from, m, d.cfg.PieceBytes)
	case Piece:
		if !d.hasSameMembers(m.ID.Handle) || !d.fetch.onPiece(d.now, from, m) {
			d.count.StalePieces++
		}
	case Gone:
		if d.fetch.onGone(d.now, from, m) {
			d.count.TransfersRestarted++
		}
	case Relay:
		d.onRelay(from, m)
	default:
		d.onSumMessage(from, from, m)
	}
}

// onSumMessage takes a message about sums from a peer; via is the replica that it came
// through.
func (d *Driver) onSumMessage(from, via paxos.NodeID, m Transfer) {
	switch m := m.(type) {
	case AskSum:
		d.sums.ask(from, via, m.Slot)
	case TellSum:
		d.compare.onSum(from, m)
		d.backup.confirm.onSum(from, m)
	case NoSum:
		d.compare.onNoSum(m)
		d.backup.confirm.onNoSum(m)
	}
}

// onRelay passes a message on, or takes one that was passed on. It passes on only what
// comes from the author itself, so no message goes round in circles.
func (d *Driver) onRelay(from paxos.NodeID, m Relay) {
	self, peers := d.cfg.Core.Paxos.ID, d.fetch.peers
	switch {
	case m.From == from && slices.Contains(peers, m.To):
		d.count.SumsRelayed++
		d.transfers = append(d.transfers, outgoing{m.To, m})
	case m.To == self && m.From != from && slices.Contains(peers, m.From):
		d.onSumMessage(m.From, from, m.M)
	default:
		d.count.MalformedPeer++
	}
}

// hasSameMembers reports that a snapshot has the configured members.
func (d *Driver) hasSameMembers(s paxos.Handle) bool {
	return slices.Equal(s.Members, slices.Sorted(slices.Values(d.cfg.Core.Paxos.Members)))
}

// BulkDone reports the result of the bulk job under way. A failure is no reason to stop: a
// snapshot may fail (P7.05), and nothing depends on one that did.
func (d *Driver) BulkDone(now time.Time, r BulkResult) {
	if !d.isReady(now) {
		return
	}
	d.bulk.busy = false
	switch r := r.(type) {
	case WriteDone:
		d.onWritten(r)
	case ReadDone:
		d.onRead(r)
	case PutDone:
		d.onPut(r)
	}
}

// onWritten stops the driver if the rows changed after they were compared: with wrong
// memory a retry is no help.
func (d *Driver) onWritten(r WriteDone) {
	d.bulk.onWritten(d.now, r.Err)
	if errors.Is(r.Err, db.ErrChanged) {
		d.stop = fmt.Errorf("replica %d stops: its snapshot: %w: %w", d.cfg.Core.Paxos.ID, core.ErrMemory, r.Err)
	}
	if r.Err != nil {
		d.count.SnapshotsFailed++
		return
	}
	d.count.SnapshotsWritten++
	d.truncate(r.Floor)
}

func (d *Driver) onRead(r ReadDone) {
	if r.Piece.Data == "" {
		d.transfers = append(d.transfers, outgoing{r.To, Gone{ID: r.Ask.ID, Slot: r.Ask.Slot}})
		return
	}
	d.bulk.onPieceSent(d.now, r.Piece)
	d.transfers = append(d.transfers, outgoing{r.To, r.Piece})
}

func (d *Driver) onPut(r PutDone) {
	if r.Err != nil {
		d.count.TransfersFailed++
	}
	if r.Rows != nil {
		s := r.ID.Handle
		d.bulk.onInstalled(s.Slot)
		d.compare.onInstalled(s.Slot)
		if d.core.Install(d.now, s, r.Rows) {
			d.bulk.applied = s.Slot
			d.sums.begin(s.Slot, r.Rows.Checksum())
		}
		d.truncate(r.Floor)
	}
	d.fetch.onPut(d.now, r)
}

// truncate has the log drop what snapshots cover, except the slots that are kept for
// laggards.
func (d *Driver) truncate(floor paxos.Slot) {
	if floor <= d.cfg.KeepSlots {
		return
	}
	if below := floor - d.cfg.KeepSlots; below > d.below {
		d.below, d.log.below = below, below
		d.core.Truncate(d.now, below)
		d.sums.drop(below)
	}
}

// advanceBulk does what is due on snapshots: it fetches one, compares rows, sends
// messages and takes the next bulk job.
func (d *Driver) advanceBulk(behind *paxos.Behind, out *Output) {
	if behind != nil {
		d.fetch.begin(d.now, *behind)
	}
	d.fetch.onApplied(d.bulk.applied)
	if d.fetch.askAgain(d.now) {
		d.count.SourcesSwitched++
	}
	for _, a := range d.fetch.asks {
		d.transfers = append(d.transfers, outgoing{a.to, a.m})
	}
	d.fetch.asks = d.fetch.asks[:0]
	d.advanceComparison()
	d.advanceBackup(out)
	for _, t := range d.transfers {
		out.Peers = append(out.Peers, PeerMessage{To: t.to, Wire: AppendTransfer(nil, t.m)})
	}
	d.transfers = d.transfers[:0]
	out.Bulk = d.bulk.nextJob(d.now, d.log.durable, &d.fetch)
	out.Wake = instant.Earliest(out.Wake, d.fetch.wake(), d.compare.wake(), d.bulk.wake(d.now))
}

// advanceComparison has the rows of the next snapshot compared with those of the others,
// and answers the questions of others.
func (d *Driver) advanceComparison() {
	d.transfers = append(d.transfers, d.sums.answers(d.cfg.Core.Paxos.ID)...)
	switch c := &d.compare; {
	case c.isIdle() && d.bulk.isSnapshotDue(d.now):
		d.transfers = append(d.transfers, c.begin(d.now, d.snapshot())...)
	case c.isOutdated(d.now, d.bulk.applied):
		d.count.SumsOutdated++
		d.transfers = append(d.transfers, c.begin(d.now, d.snapshot())...)
	default:
		again := c.askAgain(d.now)
		d.transfers = append(d.transfers, again...)
		if len(again) > 0 {
			d.count.SumsAskedAgain++
		}
	}
	if w, err := d.compare.take(); err != nil {
		d.count.SumsInMinority++
		d.stop = err
	} else if w != nil {
		d.bulk.ready = w
		d.log.syncTo = max(d.log.syncTo, w.records)
	}
}

// snapshot is the rows as they are now, to be compared and written.
func (d *Driver) snapshot() WriteJob {
	s, rows := d.core.Snapshot()
	return WriteJob{Handle: s, Rows: rows, logged: d.bulk.logged, records: d.log.nextLSN - 1}
}
