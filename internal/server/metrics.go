package server

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/chubbycell/chubby/internal/instant"
	"github.com/chubbycell/chubby/paxos"
)

// metrics are numbers of one replica for Prometheus. They are read when they are asked for.
type metrics struct {
	s     *Server
	extra prometheus.Registerer
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("chubby_"+name, help, labels, nil)
}

var (
	descBuild     = describe("build_info", "1; the commit that the program was built from is a label.", "commit")
	descLeader    = describe("leader", "1 while the replica leads the log.")
	descRole      = describe("role", "1 for the part that the replica has in the log at present, 0 for the others.", "role")
	descServing   = describe("serving", "1 while the replica is the master and serves clients.")
	descEpoch     = describe("epoch", "Number of the newest mastership that the replica knows.")
	descSessions  = describe("sessions", "Sessions of clients that are alive.")
	descMost      = describe("sessions_limit", "Sessions that may be alive at one time: while as many are, no other client is let in.")
	descApplied   = describe("applied_slot", "Newest slot of the log that is in the rows.")
	descRecords   = describe("wal_records_total", "Records written to the log, in all lives of the replica.")
	descLease     = describe("lease_left_seconds", "For how long the replica may still answer reads by itself, if its lease is not renewed; 0: it may not.")
	descChosen    = describe("commit_duration_seconds", "At the leader: time from the proposal of a slot of the log until a majority had it on disk.")
	descQueue     = describe("queue_messages", "Messages that have come and wait until the replica takes them in.", "queue")
	descProposed  = describe("queue_commands", "At the leader: commands that wait for a slot of the log.")
	descUnacked   = describe("failover_sessions", "At the master: sessions that have not acknowledged the fail-over yet. Calls wait for them.")
	descDisagreed = describe("rows_disagreed_total", "Checksums of the rows of other members that differed from the replica's own, since it started. One of the two is damaged.")
	descSyncs     = describe("wal_syncs_total", "Times that records of the log were synced to disk, since the replica started.")
	descSynced    = describe("wal_sync_duration_seconds", "Time that a write of the log took that ended with a sync.")
	descWALJob    = describe("wal_job_seconds", "For how long the disk has worked on the present write of the log; 0: there is none. It grows while the disk hangs.")
	descWAL       = describe("wal_bytes", "Size of the files of the log.")
	descAlives    = describe("keepalives_total", "KeepAlives of sessions that were answered, since the replica started.")
	descClients   = describe("clients", "Client processes that are connected.")
	descConnected = describe("peer_connected", "1 while the replica reaches the peer.", "peer")
	descNotAfter  = describe("certificate_not_after_seconds", "Until when a certificate of the replica, or an authority that it accepts, is valid, as Unix time.", "key")
	descCached    = describe("cached_paths", "Paths that clients may have in their caches, as the master knows.")
	descCachers   = describe("cache_registrations", "Clients that may have a path in their caches, added up over all paths.")
	descBarred    = describe("cache_barred_calls", "Calls that wait until clients have dropped from their caches what they change.")
	descLongest   = describe("cache_barrier_longest_seconds", "The longest time that such a call has waited, in this epoch.")
	descSnapAge   = describe("snapshot_age_seconds", "Time since the newest snapshot of the rows was written. There is none before the first snapshot.")
	descSnapSlot  = describe("snapshot_slot", "Slot of the newest snapshot of the rows.")
	descSnaps     = describe("snapshots_total", "Snapshots that the replica wrote, since it started.")
	descSnapsBad  = describe("snapshots_failed_total", "Snapshots that could not be written, since the replica started.")
	descBackups   = describe("backups_total", "Backups that the replica wrote as master, since it started.")
	descBackupBad = describe("backups_failed_total", "Backups that could not be written, since the replica started.")
	descBackupAge = describe("backup_age_seconds", "At the master: for how long masters have served since the newest backup was taken.")
	descBusy      = describe("busy_total", "Messages of clients that were answered busy, because too many waited, since the replica started.")
	descMalformed = describe("malformed_total", "Bytes that came as a message, were none and were dropped, since the replica started.", "from")
	descDropped   = describe("peer_dropped_total", "Datagrams for the peer that were not sent.", "peer")
)

// newMetrics registers the metrics of a replica with own, and with extra under the label
// replica, as a process may have several.
func newMetrics(s *Server, own, extra prometheus.Registerer) (*metrics, error) {
	m := &metrics{s: s}
	if err := own.Register(m); err != nil {
		return nil, err
	}
	if extra != nil {
		m.extra = prometheus.WrapRegistererWith(prometheus.Labels{"replica": fmt.Sprint(s.cfg.ID)}, extra)
		return m, m.extra.Register(m)
	}
	return m, nil
}

// remove gives the names back. m may be nil.
func (m *metrics) remove() {
	if m != nil && m.extra != nil {
		m.extra.Unregister(m)
	}
}

// Describe implements prometheus.Collector.
func (m *metrics) Describe(all chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descBuild, descLeader, descRole, descServing, descEpoch, descSessions, descApplied, descRecords, descSyncs, descWALJob, descWAL, descClients, descConnected, descDropped,
		descCached, descCachers, descBarred, descLongest, descNotAfter, descAlives, descMost,
		descLease, descChosen, descQueue, descProposed, descUnacked, descDisagreed, descSynced, descSnapAge, descSnapSlot, descSnaps, descSnapsBad, descBackups, descBackupBad, descBackupAge, descBusy, descMalformed} {
		all <- d
	}
}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(all chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		all <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	flag := func(d *prometheus.Desc, is bool, labels ...string) {
		v := 0.0
		if is {
			v = 1
		}
		gauge(d, v, labels...)
	}
	state := m.s.Status()
	gauge(descBuild, 1, build())
	flag(descLeader, state.Leader == state.ID && state.ID != 0)
	for _, role := range []paxos.Role{paxos.Follower, paxos.Candidate, paxos.Leader} {
		flag(descRole, state.Role == role, string(role))
	}
	flag(descServing, state.Serving)
	gauge(descEpoch, float64(state.Epoch))
	gauge(descSessions, float64(state.Sessions))
	gauge(descMost, float64(state.MostAlive))
	gauge(descApplied, float64(state.Applied))
	gauge(descWALJob, state.LogJob.Seconds())
	gauge(descWAL, float64(m.walBytes()))
	gauge(descClients, float64(m.s.clients.Clients()))
	gauge(descCached, float64(state.Caches.Paths))
	gauge(descCachers, float64(state.Caches.Registrations))
	gauge(descBarred, float64(state.Caches.Barred))
	gauge(descLongest, state.Caches.Longest.Seconds())
	gauge(descSnapSlot, float64(state.Snapshot))
	if at, ok := m.snapshotTime(); ok {
		gauge(descSnapAge, max(0, time.Since(at)).Seconds())
	}
	gauge(descLease, state.Lease.Seconds())
	gauge(descUnacked, float64(state.Unacked))
	gauge(descProposed, float64(state.Proposed))
	gauge(descQueue, float64(state.Queues.Peers), "peers")
	gauge(descQueue, float64(state.Queues.KeepAlives), "keepalives")
	gauge(descQueue, float64(state.Queues.Calls), "calls")
	histogram := func(d *prometheus.Desc, h instant.Histogram) {
		buckets := map[float64]uint64{}
		for bound, n := range h.Bounds() {
			buckets[bound.Seconds()] = n
		}
		all <- prometheus.MustNewConstHistogram(d, h.Count(), h.Sum().Seconds(), buckets)
	}
	histogram(descChosen, state.ChosenIn)
	histogram(descSynced, state.SyncedIn)
	total := func(d *prometheus.Desc, n uint64, labels ...string) {
		all <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	total(descRecords, state.Records)
	total(descSyncs, state.SyncedIn.Count())
	total(descAlives, state.KeepAlives)
	total(descBusy, state.Refused)
	total(descDisagreed, state.Disagreed)
	total(descSnaps, state.Snapshots)
	total(descSnapsBad, state.SnapshotsFailed)
	if m.s.cfg.BackupDir != "" {
		total(descBackups, state.Backups)
		total(descBackupBad, state.BackupsFailed)
	}
	if state.KnowsBackupAge {
		gauge(descBackupAge, state.BackupAge.Seconds())
	}
	total(descMalformed, state.MalformedPeers, "peer")
	total(descMalformed, state.MalformedClients, "client")
	for _, e := range m.s.secrets.expiries() {
		gauge(descNotAfter, float64(e.at.Unix()), e.key)
	}
	for _, p := range m.s.peers.Status() {
		flag(descConnected, p.Connected, fmt.Sprint(p.ID))
		total(descDropped, p.Dropped, fmt.Sprint(p.ID))
	}
}

// snapshotTime is when the newest snapshot was written; ok is false if there is none.
func (m *metrics) snapshotTime() (newest time.Time, ok bool) {
	files, _ := os.ReadDir(filepath.Join(m.s.cfg.Dir, "snapshots")) // none before the first snapshot
	for _, f := range files {
		if info, err := f.Info(); err == nil && strings.HasSuffix(f.Name(), ".snap") && info.ModTime().After(newest) {
			newest, ok = info.ModTime(), true
		}
	}
	return newest, ok
}

// walBytes adds up the files of the log. One that goes meanwhile is left out.
func (m *metrics) walBytes() (n int64) {
	_ = filepath.WalkDir(filepath.Join(m.s.cfg.Dir, "log"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
