package simcmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/crowd"
)

// quietCrowd is a crowd in which nothing happens.
type quietCrowd struct {
	sessions int
	at       time.Duration
}

func (q *quietCrowd) Gather() error                { return nil }
func (q *quietCrowd) RunFor(d time.Duration) error { q.at += d; return nil }
func (q *quietCrowd) Memory() (int64, int64)       { return 0, 0 }
func (q *quietCrowd) Close()                       {}

func (q *quietCrowd) Counts() crowd.Counts {
	return crowd.Counts{Sessions: q.sessions, Simulated: q.at}
}

// newCrowdWorld is a world with real crowds, and a fake clock of processor time.
func newCrowdWorld() *world {
	w := newWorld()
	w.crowd = newCrowd
	cpu := time.Duration(0)
	w.processor = func() time.Duration { cpu += 500 * time.Millisecond; return cpu }
	return w
}

func TestSessionsAreCounted(t *testing.T) {
	w, dir := newCrowdWorld(), t.TempDir()
	require.Zero(t, w.do("sim", "experiment", "sessions", "--sessions", "60", "--lease", "12s,30s", "--for", "5m", "--replicas", "3", "--out", dir, "-o", "json"), w.err.String())
	var m crowded
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &m))
	require.Len(t, m.Leases, 2)
	for i, lease := range []time.Duration{12 * time.Second, 30 * time.Second} {
		p := m.Leases[i]
		require.Equal(t, lease, p.Lease)
		require.Equal(t, 60, p.Sessions)
		require.Equal(t, 5*time.Minute, p.Simulated)
		require.InDelta(t, 12.0/7, p.PerLease, 0.1, "one begins when seven twelfths of a lease are over")
		require.InDelta(t, p.PerSecond*p.Simulated.Seconds(), float64(p.KeepAlives), 0.01)
		require.Greater(t, p.Share, 0.85)
		require.Zero(t, p.Lost+p.Jeopardy)
		require.Greater(t, p.Master, p.Rows)
		require.Equal(t, 600.0, p.OfCPU, "half a second by the clock of this test")
		require.InDelta(t, p.Simulated.Seconds()/p.Elapsed.Seconds(), p.Ratio, 0.001)
	}
	table, err := os.ReadFile(filepath.Join(dir, "sessions.csv"))
	require.NoError(t, err)
	require.Len(t, strings.Split(strings.TrimSpace(string(table)), "\n"), 3)
	require.True(t, strings.HasPrefix(string(table), "lease_s,sessions,"))
}

func TestSessionsAsATable(t *testing.T) {
	w := newCrowdWorld()
	require.Zero(t, w.do("sim", "experiment", "sessions", "--sessions", "10", "--lease", "2s", "--for", "10s"), w.err.String())
	lines := strings.Split(strings.TrimSpace(w.out.String()), "\n")
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], "keepalives/s")
	require.Regexp(t, `^ *2s +10 +10s `, lines[1])
	require.Contains(t, w.err.String(), "10 sessions are there")
}

func TestSessionsInterrupted(t *testing.T) {
	w := newCrowdWorld()
	w.processor = func() time.Duration { w.stop(); return 0 }
	require.Equal(t, cli.ExitInterrupted, w.do("sim", "experiment", "sessions", "--sessions", "10", "--lease", "2s", "--for", "10m", "-o", "json"))
	var m crowded
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &m))
	require.True(t, m.Interrupted)
	require.Empty(t, m.Leases, "nothing was simulated")
}

func TestSessionsUsage(t *testing.T) {
	for _, flags := range [][]string{{"--sessions", "0"}, {"--lease", "1h"}, {"--for", "0s"}, {"--replicas", "9"}, {"-o", "xml"}, {"surplus"}} {
		w := newCrowdWorld()
		require.Equal(t, cli.ExitUsage, w.do(append([]string{"sim", "experiment", "sessions"}, flags...)...), "%v", flags)
	}
}

// Ratios are 0 if the system does not measure processor time.
func TestSessionsWithoutAClock(t *testing.T) {
	p := crowdPoint{Lease: 12 * time.Second}
	p.judge(crowd.Counts{})
	require.Zero(t, p.Ratio+p.OfCPU+p.PerSecond+p.PerLease+p.Share)
}
