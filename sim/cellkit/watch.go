package cellkit

import (
	"slices"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/ondisk"
	"github.com/chubbycell/chubby/wal/vfs"
)

// watch reports one life of a replica to the checkers of its cell. A nil watch reports nothing: the
// cell is not checked.
type watch struct {
	*checks
	r   *replica
	id  paxos.NodeID
	mem *vfs.Mem

	unsynced []paxos.Record   // appended since the last sync
	upto     paxos.LSN        // appended up to here
	tail     ondisk.Tail      // of its log, as far as it was read
	writing  *db.View         // the view that is being written as a snapshot; nil: none is
	pieces   agreement.Pieces // of the snapshot that is being fetched

	wire string // the latest message to a peer
	asks bool   // see agreement.Claims.OnMessage
}

// watched returns the watch of a life that begins.
func watched(r *replica) *watch {
	if r.cell.checks == nil {
		return nil
	}
	return &watch{checks: r.cell.checks, r: r, id: r.id, mem: r.env.World().Machine(r.env.Self()).Disk().Mem()}
}

// removals is a file system that calls removed for each file that is removed in it.
type removals struct {
	vfs.FS
	removed func(name string)
}

// Remove removes a file, and calls removed.
func (f removals) Remove(name string) error {
	err := f.FS.Remove(name)
	if err == nil {
		f.removed(name)
	}
	return err
}

// onOpening is called before the store is opened, on the file system that it returns.
func (w *watch) onOpening(fs vfs.FS) vfs.FS {
	if w == nil {
		return fs
	}
	return removals{fs, func(name string) { w.watch.Snapshots.OnRemoved(w.id, name) }}
}

// onOpened is called with what the disk had, or with the error of opening it.
func (w *watch) onOpened(rec store.Recovered, report store.Report, err error) {
	switch {
	case w == nil:
	case err != nil:
		w.onRefused(w.id, err)
	default:
		w.watch.Rot.OnMended(w.id, w.mem)
		w.watch.Logs.OnRecovered(w.id, rec, report)
		w.watch.Snapshots.OnSnapshotsFound(w.id, w.mem)
	}
}

// onStarted is called when the driver has started, before it acts.
func (w *watch) onStarted(rec *paxos.Recovered) {
	if w == nil {
		return
	}
	status := w.r.driver.Core().Status()
	w.watch.Logs.OnStarted(w.id, status)
	w.watch.Logs.OnResumed(w.id, rec, status)
}

// onRequest is called for each message of a client, before the driver gets it.
func (w *watch) onRequest(msg []byte) {
	if w == nil {
		return
	}
	if q, err := api.DecodeRequest(msg); err == nil {
		w.watch.Calls.OnRequest(w.id, q)
		w.sequencers.OnRequest(q, nil)
	}
}

// onActed is called with what the driver wants done, before it is done, unless the driver stops.
func (w *watch) onActed(out *model.Outcome) {
	if w == nil || w.r.driver.Core() == nil {
		return
	}
	n := w.r.driver.Core()
	w.watch.Calls.OnProposed(out.Proposed)
	if out.Installed != nil {
		w.watch.Snapshots.OnInstalled(w.id, out.Installed)
	}
	w.watch.OnApplied(w.id, out.Applied)
	w.watch.Epochs.OnTenure(w.id, n)
	w.leases.Acted(w.id)
	if len(out.Reads) > 0 && !w.isLoose() {
		w.leases.ReadAlone(w.id, n, w.r.now, w.watch.Calls.Told)
	}
	w.wire = ""
}

// onStopped is called when the driver stops, after its last messages to peers.
func (w *watch) onStopped(why error) {
	if w != nil {
		w.watch.Rows.OnStopped(w.id, why)
	}
}

// onMessage is called for each message to a peer, before it is sent. One that goes to several peers is
// checked once, unless the check depends on the receiver.
func (w *watch) onMessage(m driver.PeerMessage) {
	if w == nil || w.wire == string(m.Wire) && !w.asks {
		return
	}
	w.wire = string(m.Wire)
	_, w.asks = w.watch.Claims.OnMessage(w.id, m.To, w.wire)
}

// onReply is called for each reply before it is sent, with the outcome of the act.
func (w *watch) onReply(m driver.ClientMessage, out *model.Outcome) {
	if w == nil {
		return
	}
	p, err := api.DecodeReply(m.Wire)
	if err == nil {
		w.locks.OnReply(w.id, p)
		_, logged := w.watch.Calls.Effects[model.Call{Session: p.Session, Seq: p.Seq}]
		still := len(out.Applied) == 0 && out.Installed == nil
		alone := func(x core.Read) bool { return x.Session == p.Session && x.Seq == p.Seq }
		if !logged && still && w.hasAppliedAll(w.id) && slices.ContainsFunc(out.Reads, alone) {
			w.sequencers.OnReply(p)
		}
	}
	w.watch.Calls.OnReply(w.id, p, err, out.Reads)
}

// onLogBegun is called when a log job begins.
func (w *watch) onLogBegun(j *driver.LogJob) {
	if w == nil {
		return
	}
	if j.Below > 0 {
		w.watch.Snapshots.OnTruncate(w.id, j.Below)
	}
	w.watch.Logs.OnAppend(w.id, j.Records)
}

// onLogWritten is called at the instant at which a log job has ended well.
func (w *watch) onLogWritten(j *driver.LogJob) {
	switch {
	case w == nil || j.Below > 0:
	case j.Idle:
		w.watch.Logs.OnMarked(w.id, w.tail.Watermark(w.mem, damage.DataDir+"/log"))
	default:
		w.watch.Rot.OnVouched(w.id, j.Records, w.mem)
		w.onWritten(j)
	}
}

// onWritten takes in records, and that they are on the disk if the job has synced.
func (w *watch) onWritten(j *driver.LogJob) {
	if len(j.Records) > 0 {
		w.unsynced = append(w.unsynced, j.Records...)
		w.upto = j.First + paxos.LSN(len(j.Records)) - 1
	}
	if j.Sync {
		w.watch.Logs.OnDurable(w.id, w.unsynced)
		w.watch.Logs.OnSynced(w.id, w.upto)
		w.unsynced = w.unsynced[:0]
	}
}

// bulk returns what does the bulk jobs of a store.
func (w *watch) bulk(s *store.Snapshots) diskjobs.Bulk {
	b := diskjobs.Bulk{Snapshots: s}
	if w != nil {
		b.OnPublished = func(id driver.SnapshotID) { w.watch.Snapshots.OnPublished(w.id, id, w.writing) }
		b.OnUnreadable = func(id driver.SnapshotID, err error) { w.watch.Snapshots.OnUnreadable(w.id, id, err) }
	}
	return b
}

// onBulkBegun is called when a bulk job begins, and onBulkEnded when it has ended.
func (w *watch) onBulkBegun(j driver.BulkJob) {
	if w == nil {
		return
	}
	switch j := j.(type) {
	case driver.WriteJob:
		w.writing = &j.Rows
	case driver.PutJob:
		w.watch.Snapshots.OnPiecePut(w.id, &w.pieces, j.Piece)
	}
}

func (w *watch) onBulkEnded() {
	if w != nil {
		w.writing = nil
	}
}

// onBulkDone is called when the process handles the end of a bulk job.
func (w *watch) onBulkDone(result driver.BulkResult) {
	if w != nil {
		w.watch.Snapshots.OnBulkDone(w.id, result)
	}
}
