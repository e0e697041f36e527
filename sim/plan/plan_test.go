package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// If there are few programs, each command may fill a segment, or a slot for which the next slot
// waits. If there are many, it may not.
func TestManyProgramsHaveALogThatCarriesThem(t *testing.T) {
	tight, slow, many := 0, 0, 0
	for seed := range uint64(2000) {
		p := New(Options{Seed: seed})
		programs := p.Clients * p.Calls.Threads
		if fits := p.Store.SegmentSize >= min(4*int64(p.Calls.Value), 1<<14); programs > mostInNarrow {
			many++
			require.True(t, fits, "seed %d", seed)
			log := p.Driver.Core.Paxos
			inFourSeconds := int(4*time.Second/p.agreement()) * log.Window * (log.MaxBatchCommands + 1)
			require.Greater(t, inFourSeconds, programs/2, "seed %d", seed)
			if log.MaxBatchCommands > 1 && log.Window == 1 {
				slow++
			}
		} else if !fits {
			tight++
		}
	}
	require.Greater(t, many, 100)
	require.Greater(t, tight, 100)
	require.Greater(t, slow, 10)
}

// If reads need the log, the reads that one write causes in all watching programs share a slot or
// two. With one slot each, 24 watchers at 30 ms a slot would be busy for 0.7 s after each write.
func TestWatchersThatReadThroughTheLogHaveRoomInASlot(t *testing.T) {
	some := 0
	for seed := range uint64(4000) {
		p := New(Options{Seed: seed})
		if log := p.Driver.Core.Paxos; log.Lease.Grant == 0 && p.Watch.Share > 0 {
			some++
			readers := p.Clients * p.Calls.Threads * int(p.Watch.Share) / 4
			require.Greater(t, (log.MaxBatchCommands+1)*log.Window, readers, "seed %d", seed)
		}
	}
	require.Greater(t, some, 50)
}
