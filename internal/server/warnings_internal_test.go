package server

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/peer"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica"
)

func TestWarningsSayWhatIsWrongAndWithWhat(t *testing.T) {
	good := func() *replica.Overview {
		o := &replica.Overview{IsMaster: true, Status: replica.Status{Lease: time.Second}}
		o.ID, o.Leader, o.Role, o.Epoch = 1, 1, paxos.Leader, 7
		o.Members = []replica.Member{{ID: 1, IsLeader: true, IsThisReplica: true}, {ID: 2, Silent: 100 * time.Millisecond}, {ID: 3}}
		return o
	}
	up := []peer.PeerStatus{{ID: 2, Addr: "b:1", Connected: true}, {ID: 3, Addr: "c:1", Connected: true}}
	down := []peer.PeerStatus{{ID: 2, Addr: "b:1", Err: "connection refused"}, {ID: 3, Addr: "c:1", Connected: true}}
	for name, c := range map[string]struct {
		change func(o *replica.Overview)
		peers  []peer.PeerStatus
		want   []string
	}{
		"nothing": {func(*replica.Overview) {}, up, nil},
		"it stopped": {func(o *replica.Overview) { o.Role = "" }, down, []string{
			"The replica does not run."}},
		"a follower that knows no leader": {func(o *replica.Overview) { o.Role, o.Leader, o.Lease = paxos.Follower, 0, 0 }, up, []string{
			"This replica knows no leader: either the cell has none, and serves no calls, or this replica is cut off."}},
		"no lease": {func(o *replica.Overview) { o.Lease = 0 }, up, []string{
			"The leader has no lease: a majority of the members has not answered it recently."}},
		"a dead session": {func(o *replica.Overview) {
			o.Unacked = 3
			o.FirstUnacked = []replica.Session{{ID: 12, Principal: "ann", Lease: 43 * time.Second}}
		}, up, []string{
			"The fail-over to epoch 7 waits for session 12 of principal ann, which has not come back. The session ends in 43s.",
			"The fail-over to epoch 7 waits for 2 more sessions."}},
		"other rows": {func(o *replica.Overview) { o.Members[1].HasOtherRows, o.Disagreed = true, 1 }, up, []string{
			"Replica 2 had other rows than this replica in the last comparison: one of the two is damaged. A replica stops if a majority has other rows than it has."}},
		"other rows, long ago": {func(o *replica.Overview) { o.Disagreed = 2 }, up, []string{
			"Comparisons found other rows at another replica 2 times since this replica started."}},
		"a silent member": {func(o *replica.Overview) { o.Members[1].Silent = time.Minute }, up, []string{
			"Replica 2 has not answered the leader for 1m0s."}},
		"a member that is down": {func(o *replica.Overview) { o.Members[1].Silent = time.Minute }, down, []string{
			"Replica 2 at b:1 has not answered the leader for 1m0s, and cannot be reached: connection refused."}},
		"no connection": {func(*replica.Overview) {}, down, []string{
			"This replica cannot reach replica 2 at b:1: connection refused."}},
		"a disk that hangs": {func(o *replica.Overview) { o.LogJob = time.Minute }, up, []string{
			"The disk of this replica has not finished a write of the log for 1m0s: the replica votes for nothing until it has."}},
		"a disk that is slow": {func(o *replica.Overview) { o.LogJob = time.Second }, up, nil},
		"a backup that hangs": {func(o *replica.Overview) { o.BackupJob = time.Hour }, up, []string{
			"A backup has been under way for 1h0m0s and has not ended: backup_dir is slow or hangs. The replica makes no other backup until it has."}},
		"a backup that takes its time": {func(o *replica.Overview) { o.BackupJob = time.Minute }, up, nil},
		"a restart": {func(o *replica.Overview) { o.HoldOff = 300 * time.Millisecond }, up, []string{
			"This replica has just started: it promises and grants nothing for another 300ms."}},
		"sessions are nearly as many as may be": {func(o *replica.Overview) { o.Sessions, o.MostAlive = 90, 100 }, up, []string{
			"Sessions alive: 90, of at most 100. chubby limits set sessions=N raises the limit."}},
		"many sessions": {func(o *replica.Overview) { o.Sessions, o.MostAlive = 89, 100 }, up, nil},
		"backups, snapshots": {func(o *replica.Overview) { o.BackupsFailed, o.SnapshotsFailed, o.SnapshotError = 2, 1, "disk full" }, up, []string{
			"2 backups failed since this replica started; the last one succeeded.",
			"1 snapshots failed since this replica started, the last one with: disk full."}},
	} {
		o := good()
		c.change(o)
		require.Equal(t, c.want, warnings(o, c.peers, fmt.Stringer.String), name)
	}
	o := good()
	o.Unacked, o.FirstUnacked = 1, []replica.Session{{ID: 12, Principal: "ann"}}
	require.NotContains(t, warnings(o, up, func(fmt.Stringer) string { return hidden })[0], "ann")
}

func TestACertificateThatIsEarlyOrEndsSoonIsWarnedOf(t *testing.T) {
	now := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	lastYear := now.Add(-365 * day)
	told := expiryWarnings([]expiry{
		{"peer_cert", lastYear, now.Add(8 * day)}, {"server_cert", lastYear, now.Add(time.Hour)}, {"peer_cert", lastYear, now.Add(-time.Hour)},
		{"peer_cert", now.Add(-16 * time.Hour), now.Add(8 * time.Hour)}, // of a day, to be renewed now
		{"client_ca", lastYear, now.Add(time.Hour)}, {"peer_ca", lastYear, now.Add(-time.Hour)},
		{"server_cert", now.Add(time.Hour), now.Add(90 * day)}, {"peer_ca", now.Add(time.Hour), now.Add(90 * day)},
	}, now)
	require.Equal(t, []string{
		"The certificate of server_cert is valid only until 2026-11-24T01:00:00Z: replace its file before that.",
		"The certificate of peer_cert was valid until 2026-11-23T23:00:00Z: new connections fail. Replace its file.",
		"The authority of client_ca is valid only until 2026-11-24T01:00:00Z: before that put a new one beside it, and renew the certificates.",
		"The authority of peer_ca was valid until 2026-11-23T23:00:00Z: new connections fail. Put a new one into its file, and renew the certificates.",
		"The certificate of server_cert is valid only from 2026-11-24T01:00:00Z, and the clock of this machine says 2026-11-24T00:00:00Z: new connections fail. Set the clock, or replace the file.",
		"The authority of peer_ca is valid only from 2026-11-24T01:00:00Z, and the clock of this machine says 2026-11-24T00:00:00Z: new connections fail. Set the clock, or replace the file.",
	}, told)
}

func TestNamesStayOnThisMachine(t *testing.T) {
	for remote, shows := range map[string]bool{
		"127.0.0.1:1": true, "[::1]:1": true, "10.0.0.1:1": false, "[fe80::1]:1": false, "": false, "localhost:1": false,
	} {
		r := &http.Request{RemoteAddr: remote, Host: "127.0.0.1:7402"}
		require.Equal(t, shows, (&Server{}).showsNames(r), remote)
		require.True(t, (&Server{cfg: Config{AllowPlain: true}}).showsNames(r))
	}
	for host, shows := range map[string]bool{
		"localhost": true, "localhost:1": true, "127.0.0.1": true, "[::1]": true, "[::1]:1": true,
		"rebound.example:7402": false, "rebound.example": false, "10.0.0.1:1": false, "": false,
	} {
		require.Equal(t, shows, (&Server{}).showsNames(&http.Request{RemoteAddr: "127.0.0.1:1", Host: host}), host)
	}
}

func TestFiguresAreReadable(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 1234 * time.Microsecond: "1ms", 1234 * time.Millisecond: "1.2s", 61_600 * time.Millisecond: "1m2s"} {
		require.Equal(t, want, span(d))
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 5 << 30: "5.0 GiB", 1 << 60: "1048576.0 TiB"} {
		require.Equal(t, want, size(n))
	}
}
