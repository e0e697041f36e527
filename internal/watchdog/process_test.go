//go:build unix

package watchdog

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Orders for a watchdog that reads none do not keep lock from looking after the command, and those that fit are whole.
func TestAWatchdogThatReadsNoOrdersKeepsLockFromNothing(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	c := &Process{means: means{orders: w}}
	const line = "until 1000000000000000000\n"
	told := make(chan struct{})
	go func() {
		defer close(told)
		for n := 0; n < 1<<16+4*len(line); n += len(line) { // a pipe holds 64 KiB
			c.tell("%s %d", orderUntil, int64(1e18))
		}
	}()
	select {
	case <-told:
	case <-time.After(30 * time.Second):
		require.FailNow(t, "it waits")
	}
	require.NoError(t, w.Close())
	all, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	require.Equal(t, strings.Repeat(line, len(all)/len(line)), string(all))
}
