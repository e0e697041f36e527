package bench

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatTheReplicasUseIsThatOfOneMaster(t *testing.T) {
	begin := time.Unix(100, 0)
	read := func(after, master, follower time.Duration, resident int64, keepAlives float64) reading {
		return reading{
			at: begin.Add(after), master: 2, resident: resident, keepAlives: &keepAlives, page: "b",
			cpu: map[uint32]time.Duration{1: follower, 2: master, 3: 2 * follower},
		}
	}
	before, from, to := read(0, 0, 0, 1000, 0), read(0, time.Second, 0, 2000, 50), read(10*time.Second, 3*time.Second, 100*time.Millisecond, 5000, 150)
	var row Held
	row.add(before, from, to, 10)
	require.InDelta(t, 10, *row.KeepAlives, 1e-9)
	require.InDelta(t, 20, *row.MasterCPU, 1e-9)
	require.InDelta(t, 1.5, *row.FollowerCPU, 1e-9, "of two, 1 %% and 2 %%")
	require.InDelta(t, 400, *row.MasterBytes, 1e-9)
	require.Equal(t, 3300*time.Millisecond, to.sum(3))
	require.Negative(t, to.sum(4), "one is not known")

	moved := to
	moved.master = 1
	row = Held{}
	row.add(before, from, moved, 10)
	require.Equal(t, Held{}, row, "another master meanwhile")

	row = Held{}
	row.add(before, reading{at: begin, master: 2}, reading{at: begin.Add(time.Second), master: 2}, 10)
	require.Equal(t, Held{}, row, "nothing is known")
}

func TestTheMemoryOfAProcessIsKnown(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("it needs /proc, which Linux has, and so the machines of .ci/run")
	}
	require.Greater(t, residentOf(os.Getpid()), int64(1<<20))
	require.Zero(t, residentOf(-1))
}
