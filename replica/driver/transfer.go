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

// outgoing is what one host says to another.
type outgoing struct {
	to paxos.NodeID
	m  Transfer
}

// peers are all members but this one, in ascending order.
func (c *Config) peers() []paxos.NodeID {
	ids := slices.Sorted(slices.Values(c.Node.Paxos.Members))
	return slices.DeleteFunc(ids, func(id paxos.NodeID) bool { return id == c.Node.Paxos.ID })
}

// transfer takes what another host said.
func (h *Host) transfer(from paxos.NodeID, wire string) {
	m, err := DecodeTransfer(wire)
	if err != nil || !slices.Contains(h.fetch.peers, from) {
		h.count.MalformedPeer++
		return
	}
	switch m := m.(type) {
	case Ask:
		h.bulk.asked(from, m, h.cfg.PieceBytes)
	case Piece:
		if !h.governs(m.ID.Handle) || !h.fetch.got(h.now, from, m) {
			h.count.StalePieces++
		}
	case Gone:
		if h.fetch.gone(h.now, from, m) {
			h.count.TransfersRestarted++
		}
	case Relay:
		h.relay(from, m)
	default:
		h.compares(from, from, m)
	}
}

// compares takes what a peer says of sums, and whom it came through.
func (h *Host) compares(from, via paxos.NodeID, m Transfer) {
	switch m := m.(type) {
	case AskSum:
		h.sums.ask(from, via, m.Slot)
	case TellSum:
		h.confirm.told(from, m)
		h.backup.confirm.told(from, m)
	case NoSum:
		h.confirm.forgot(m)
		h.backup.confirm.forgot(m)
	}
}

// relay takes what a peer has to pass on, or has passed on. Only who says a thing has
// it relayed: so nothing goes round in circles.
func (h *Host) relay(from paxos.NodeID, m Relay) {
	self, peers := h.cfg.Node.Paxos.ID, h.fetch.peers
	switch {
	case m.From == from && slices.Contains(peers, m.To):
		h.count.SumsRelayed++
		h.transfers = append(h.transfers, outgoing{m.To, m})
	case m.To == self && m.From != from && slices.Contains(peers, m.From):
		h.compares(m.From, from, m.M)
	default:
		h.count.MalformedPeer++
	}
}

// governs says that a snapshot is of the members this replica knows.
func (h *Host) governs(s paxos.Handle) bool {
	return slices.Equal(s.Members, slices.Sorted(slices.Values(h.cfg.Node.Paxos.Members)))
}

// BulkDone tells that the job of the bulk lane has ended, and how. That it failed
// is no reason to stop: a snapshot may fail (P7.05), and nothing stands on one
// that did.
func (h *Host) BulkDone(now time.Time, r BulkResult) {
	if !h.ready(now) {
		return
	}
	h.bulk.busy = false
	switch r := r.(type) {
	case WriteDone:
		h.wrote(r)
	case ReadDone:
		h.read(r)
	case PutDone:
		h.put(r)
	}
}

// wrote stops the host where the rows were not those that were compared: memory is
// no machine to be tried again.
func (h *Host) wrote(r WriteDone) {
	h.bulk.wrote(h.now, r.Err)
	if errors.Is(r.Err, db.ErrChanged) {
		h.stop = fmt.Errorf("replica %d stops: its snapshot: %w: %w", h.cfg.Node.Paxos.ID, core.ErrMemory, r.Err)
	}
	if r.Err != nil {
		h.count.SnapshotsFailed++
		return
	}
	h.count.SnapshotsWritten++
	h.truncate(r.Floor)
}

func (h *Host) read(r ReadDone) {
	if r.Piece.Data == "" {
		h.transfers = append(h.transfers, outgoing{r.To, Gone{ID: r.Ask.ID, Slot: r.Ask.Slot}})
		return
	}
	h.bulk.gave(h.now, r.Piece)
	h.transfers = append(h.transfers, outgoing{r.To, r.Piece})
}

func (h *Host) put(r PutDone) {
	if r.Err != nil {
		h.count.TransfersFailed++
	}
	if r.Rows != nil {
		s := r.ID.Handle
		h.bulk.installed(s.Slot)
		h.confirm.installed(s.Slot)
		if h.node.Installed(h.now, s, r.Rows) {
			h.bulk.applied = s.Slot
			h.sums.begin(s.Slot, r.Rows.Checksum())
		}
		h.truncate(r.Floor)
	}
	h.fetch.put(h.now, r)
}

// truncate lets the log forget what snapshots cover, but for the slots that are
// kept for laggards.
func (h *Host) truncate(floor paxos.Slot) {
	if floor <= h.cfg.KeepSlots {
		return
	}
	if below := floor - h.cfg.KeepSlots; below > h.below {
		h.below, h.lane.below = below, below
		h.node.Truncate(h.now, below)
		h.sums.drop(below)
	}
}

// tendBulk does what time and the node's progress ask of the bulk lane.
func (h *Host) tendBulk(behind *paxos.Behind, out *Output) {
	if behind != nil {
		h.fetch.begin(h.now, *behind)
	}
	h.fetch.applied(h.bulk.applied)
	if h.fetch.tend(h.now) {
		h.count.SourcesSwitched++
	}
	for _, a := range h.fetch.asks {
		h.transfers = append(h.transfers, outgoing{a.to, a.m})
	}
	h.fetch.asks = h.fetch.asks[:0]
	h.tendConfirm()
	h.tendBackup(out)
	for _, t := range h.transfers {
		out.Peers = append(out.Peers, PeerMessage{To: t.to, Wire: AppendTransfer(nil, t.m)})
	}
	h.transfers = h.transfers[:0]
	out.Bulk = h.bulk.job(h.now, &h.fetch)
	out.Wake = instant.Earliest(out.Wake, h.fetch.wake(), h.confirm.wake(), h.bulk.wake(h.now))
}

// tendConfirm has the rows of the next snapshot compared with those of the others,
// and answers others who do the same.
func (h *Host) tendConfirm() {
	h.transfers = append(h.transfers, h.sums.answers(h.cfg.Node.Paxos.ID)...)
	switch c := &h.confirm; {
	case c.idle() && h.bulk.wants(h.now):
		h.transfers = append(h.transfers, c.begin(h.now, h.snapshot())...)
	case c.outdated(h.now, h.bulk.applied):
		h.count.SumsOutdated++
		h.transfers = append(h.transfers, c.begin(h.now, h.snapshot())...)
	default:
		again := c.again(h.now)
		h.transfers = append(h.transfers, again...)
		if len(again) > 0 {
			h.count.SumsAskedAgain++
		}
	}
	if w, err := h.confirm.take(); err != nil {
		h.count.SumsOdd++
		h.stop = err
	} else if w != nil {
		h.bulk.ready = w
	}
}

// snapshot is the rows as they are now, to be written one day.
func (h *Host) snapshot() WriteJob {
	s, rows := h.node.Snapshot()
	return WriteJob{Handle: s, Rows: rows}
}
