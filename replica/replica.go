package replica

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/internal/boottime"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/snapshot"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Transport carries messages away from a replica. A Replica calls both methods from any goroutine.
// They must return at once, and drop what they cannot send. They must not write to wire, which
// several messages may share.
type Transport interface {
	ToPeer(to paxos.NodeID, wire []byte)
	ToClient(to core.Addr, wire []byte)
}

// Config is what a replica is built from.
type Config struct {
	Driver    driver.Config
	FS        vfs.FS // holds Dir
	Dir       string // the replica's own directory
	Store     store.Options
	Backups   *store.Place // where backups are written; nil: this replica writes none
	Transport Transport
	Now       func() time.Time // monotonic, and runs on while the machine is suspended; nil: boottime.Now
	Logger    *slog.Logger     // nil: nothing is logged
}

// Validate returns all faults at once, joined, or nil.
func (c *Config) Validate() error {
	var faults []error
	fault := func(bad bool, text string) {
		if bad {
			faults = append(faults, errors.New("replica config: "+text))
		}
	}
	fault(c.FS == nil, "no FS")
	fault(c.Dir == "", "no Dir")
	fault(c.Transport == nil, "no Transport")
	fault(c.Driver.BackupEvery != 0 && (c.Backups == nil || c.Backups.FS == nil || c.Backups.Dir == ""), "Driver.BackupEvery is set, and Backups names no place")
	return errors.Join(append(faults, c.Driver.Validate())...)
}

// Replica is one running replica. Its methods are safe for concurrent use.
type Replica struct {
	cfg        Config
	inbox      *inbox
	asks       chan ask
	logJobs    chan driver.LogJob
	logDone    chan error // one answer a job
	bulkJobs   chan driver.BulkJob
	bulkDone   chan driver.BulkResult // one answer a job
	backupJobs chan driver.BackupJob
	backupDone chan driver.BackupDone // one answer a job
	quit       chan struct{}
	stop       sync.Once
	left       chan struct{} // closed when the loop takes no asks any more
	ended      chan struct{} // closed when the files are, too
	err        error         // why it ended; read after left is closed
	cell       atomic.Uint64 // see Cell
	version    atomic.Uint32 // see Version
	logJob     underWay
	backupJob  underWay
	snapshots  trouble // with writing own snapshots
	fetches    trouble // with taking in snapshots of other replicas
	backups    trouble // with writing backups
	reads      trouble // with reading own snapshots for other replicas
	prunes     trouble // with removing own snapshots that are too old
	events     events
	setting    []chan api.Code // the calls of SetLimits under way, the oldest first; only the loop uses it
	refused    atomic.Uint64   // messages of clients for which the inbox had no room
}

// Start opens the store, which takes as long as reading the log takes, and starts the replica. An
// error of the store says what was found; this replica must not vote then, and is not started. The
// Replica owns cfg.Dir until Stop or Wait has returned.
func Start(cfg Config) (*Replica, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = boottime.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Store.Salt == nil {
		cfg.Store.Salt = Entropy
	}
	if cfg.Driver.Core.Secret == ([32]byte{}) {
		_, _ = rand.Read(cfg.Driver.Core.Secret[:]) // never fails: it ends the program instead
	}
	st, rec, report, err := store.Open(cfg.FS, cfg.Dir, cfg.Store)
	if err != nil {
		return nil, fmt.Errorf("replica %d: %w", cfg.Driver.Core.Paxos.ID, err)
	}
	for _, d := range report.Damaged {
		cfg.Logger.Warn("unreadable record", "replica", cfg.Driver.Core.Paxos.ID, "record", d.LSN, "file", d.File, "offset", d.Offset)
	}
	for _, b := range report.Bad {
		cfg.Logger.Warn("a snapshot is of no use", "replica", cfg.Driver.Core.Paxos.ID, "file", b.File, "err", oneLine(b.Err))
	}
	cfg.Logger.Info("store opened", "replica", cfg.Driver.Core.Paxos.ID, "records", len(rec.Records), "report", report)
	r := &Replica{
		cfg:        cfg,
		inbox:      newInbox(cfg.Driver.Inbox),
		asks:       make(chan ask),
		logJobs:    make(chan driver.LogJob, 1),
		logDone:    make(chan error, 1),
		bulkJobs:   make(chan driver.BulkJob, 1),
		bulkDone:   make(chan driver.BulkResult, 1),
		backupJobs: make(chan driver.BackupJob, 1),
		backupDone: make(chan driver.BackupDone, 1),
		quit:       make(chan struct{}),
		left:       make(chan struct{}),
		ended:      make(chan struct{}),
	}
	lanes := new(sync.WaitGroup)
	segments := make(chan struct{}, 1)
	lanes.Go(func() { r.runLogJobs(st, segments) })
	lanes.Go(func() { r.makeSegments(st, segments) })
	lanes.Go(func() { r.runBulkJobs(st.Snapshots()) })
	if cfg.Backups != nil {
		go r.runBackupJobs(*cfg.Backups)
	}
	go r.loop(rec, lanes, st)
	return r, nil
}

// Entropy returns 64 bits from the system's cryptographic source, for salts and nonces.
func Entropy() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return binary.LittleEndian.Uint64(b[:])
}

// Stop ends the replica, waits until its files are closed, and returns what Wait returns. It may be
// called more than once.
func (r *Replica) Stop() error {
	r.stop.Do(func() { close(r.quit) })
	return r.Wait()
}

// Wait returns when the replica has ended: nil after Stop, or else the error that ended it.
func (r *Replica) Wait() error {
	<-r.ended
	return r.err
}

// runLogJobs is the log lane: it owns log and register. It sends on segments when the log needs its
// next segment soon.
func (r *Replica) runLogJobs(st *store.Store, segments chan<- struct{}) {
	defer close(segments)
	for j := range r.logJobs {
		r.logJob.begin(r.cfg.Now())
		err := diskjobs.Log(st, j)
		r.logJob.end(r.cfg.Now(), err == nil && j.Sync)
		if err == nil && st.WantsAhead() {
			select {
			case segments <- struct{}{}:
			default: // makeSegments has been told already
			}
		}
		r.logDone <- err
	}
}

// makeSegments makes the segments of the log before they are needed.
func (r *Replica) makeSegments(st *store.Store, wanted <-chan struct{}) {
	for range wanted {
		if err := st.MakeAhead(); err != nil {
			r.cfg.Logger.Warn("no segment made ahead", "replica", r.cfg.Driver.Core.Paxos.ID, "err", oneLine(err))
		}
	}
}

// runBulkJobs is the bulk lane: it owns the snapshots.
func (r *Replica) runBulkJobs(st *store.Snapshots) {
	var unread error // of the present job
	b := diskjobs.Bulk{
		Snapshots: st, OnPruned: r.logPruned,
		OnUnreadable: func(_ driver.SnapshotID, err error) { unread = err },
	}
	for j := range r.bulkJobs {
		unread = nil
		done := b.Do(j)
		r.logBulk(j, done) // before the loop tells listeners
		if read, ok := done.(driver.ReadDone); ok {
			r.logRead(unread, read.Piece.Data != "")
		}
		r.bulkDone <- done
	}
}

// logBulk logs why a snapshot could not be written, or taken in from another replica, and when that
// works again.
func (r *Replica) logBulk(j driver.BulkJob, done driver.BulkResult) {
	log := r.cfg.Logger.With("replica", r.cfg.Driver.Core.Paxos.ID)
	switch done := done.(type) {
	case driver.WriteDone:
		slot := j.(driver.WriteJob).Handle.Slot
		switch isNews, row := r.snapshots.note(done.Err); {
		case isNews && done.Err != nil:
			log.Warn("snapshot failed", "slot", slot, "err", r.snapshots.reason(), "failed in a row", row)
		case isNews:
			log.Info("snapshots are written again", "slot", slot, "failed before", row)
		}
	case driver.PutDone:
		if done.Err == nil && done.Rows == nil {
			return // a piece of a snapshot; there are more to come
		}
		switch isNews, row := r.fetches.note(done.Err); {
		case isNews && done.Err != nil:
			log.Warn("snapshot of another replica not taken in", "slot", done.ID.Handle.Slot, "err", r.fetches.reason(), "failed in a row", row)
		case isNews:
			log.Info("snapshot of another replica taken in", "slot", done.ID.Handle.Slot, "failed before", row)
		}
	}
}

// logPruned logs why snapshots that are too old are still there, and when they go again.
func (r *Replica) logPruned(err error) {
	log := r.cfg.Logger.With("replica", r.cfg.Driver.Core.Paxos.ID)
	switch isNews, row := r.prunes.note(err); {
	case isNews && err != nil:
		log.Warn("older snapshots stay, and with them the log", "err", r.prunes.reason(), "failed in a row", row)
	case isNews:
		log.Info("older snapshots are removed again", "failed before", row)
	}
}

// logRead logs why no piece of a snapshot could be read for another replica, and when that works again.
func (r *Replica) logRead(err error, isRead bool) {
	log := r.cfg.Logger.With("replica", r.cfg.Driver.Core.Paxos.ID)
	switch {
	case errors.Is(err, snapshot.ErrUnknown): // it was removed since the other replica began with it
	case err != nil:
		if isNews, row := r.reads.note(err); isNews {
			log.Warn("a snapshot cannot be read for another replica", "err", r.reads.reason(), "failed in a row", row)
		}
	case isRead:
		if isNews, row := r.reads.note(nil); isNews {
			log.Info("snapshots are read again", "failed before", row)
		}
	}
}

// runBackupJobs is the backup lane: it owns the place of backups. The loop does not wait for its
// end, since a place that hangs must not keep a replica from stopping.
func (r *Replica) runBackupJobs(p store.Place) {
	log := r.cfg.Logger.With("replica", r.cfg.Driver.Core.Paxos.ID)
	b := diskjobs.Backup{Place: p, OnDone: func(j driver.BackupJob, made store.WriteResult, err error) {
		switch _, row := r.backups.note(err); {
		case err != nil:
			log.Warn("backup failed", "slot", j.Handle.Slot, "err", r.backups.reason(), "failed in a row", row)
		case made.Found:
			log.Info("backup found that an earlier master wrote", "slot", made.ID.Handle.Slot, "bytes", made.ID.Size)
		default:
			log.Info("backup written", "slot", made.ID.Handle.Slot, "bytes", made.ID.Size)
		}
		for _, bad := range made.Bad {
			log.Warn("an older backup is of no use", "file", bad.File, "err", bad.Err)
		}
		if made.Unpruned != nil {
			log.Warn("older backups stay", "err", made.Unpruned)
		}
	}}
	for j := range r.backupJobs {
		r.backupJob.begin(r.cfg.Now())
		done := b.Do(j)
		r.backupJob.end(r.cfg.Now(), true)
		r.backupDone <- done
	}
}

// longestNap bounds how long the loop waits for an instant before it reads the clock again. The timers of the system
// stand still while the machine is suspended, and Config.Now does not: what fell due meanwhile is done this long after
// the resume, at the latest. To advance the driver's time too early is harmless: nothing is due then (I-W3).
const longestNap = time.Second

// errQuit tells loop that Stop was called.
var errQuit = errors.New("stopped")

// loop owns the driver.
func (r *Replica) loop(rec store.Recovered, lanes *sync.WaitGroup, st *store.Store) {
	h := driver.New(r.cfg.Driver)
	h.Start(r.cfg.Now(), rec.Recovered, rec.Rows, rec.LogFloor)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	err := r.carryOut(h, timer)
	for err == nil {
		select {
		case <-r.inbox.wake:
			r.takeIn(h)
		case a := <-r.asks:
			a.do(h, r.cfg.Now())
			err = r.carryOut(h, timer)
			close(a.done)
			continue
		case failed := <-r.logDone:
			h.LogDone(r.cfg.Now(), failed)
		case result := <-r.bulkDone:
			h.BulkDone(r.cfg.Now(), result)
		case result := <-r.backupDone:
			h.BackupDone(r.cfg.Now(), result)
		case <-timer.C:
			h.Advance(r.cfg.Now())
		case <-r.quit:
			err = errQuit
			continue
		}
		err = r.carryOut(h, timer)
	}
	if !errors.Is(err, errQuit) {
		r.err = err
		r.cfg.Logger.Error("replica stopped", "replica", r.cfg.Driver.Core.Paxos.ID, "err", oneLine(err))
	}
	r.endListeners(r.err)
	close(r.left) // before the wait for the lanes, which a disk that hangs in part makes long
	close(r.logJobs)
	close(r.bulkJobs)
	close(r.backupJobs)
	lanes.Wait()
	if err := st.Close(); err != nil {
		r.cfg.Logger.Error("store did not close", "err", err)
	}
	close(r.ended)
}

// carryOut carries out the driver's output. If the driver has stopped, it returns why.
func (r *Replica) carryOut(h *driver.Driver, timer *time.Timer) error {
	out := h.TakeOutput()
	r.noteCell(h)
	r.noteVersion(h)
	r.tellListeners(h, out.Happened)
	for _, m := range out.Peers {
		r.cfg.Transport.ToPeer(m.To, m.Wire)
	}
	if out.Stop != nil {
		return out.Stop
	}
	for _, m := range out.Clients {
		r.cfg.Transport.ToClient(m.To, m.Wire)
	}
	r.tellSetting(out.Limits)
	if out.Log != nil {
		r.logJobs <- *out.Log // never blocks: the channel has room for one job, and one is under way at a time
	}
	if out.Bulk != nil {
		r.bulkJobs <- out.Bulk // likewise
	}
	if out.Backup != nil {
		r.backupJobs <- *out.Backup // likewise
	}
	if out.Wake.IsZero() {
		timer.Reset(time.Hour)
	} else {
		timer.Reset(min(max(0, out.Wake.Sub(r.cfg.Now())), longestNap))
	}
	return nil
}
