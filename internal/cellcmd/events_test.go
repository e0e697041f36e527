//go:build unix

package cellcmd

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/replica"
)

// An observer of each replica of a cell that runs hears how it is, what becomes of a client that is
// killed while it holds a lock, and that the replica ends.
func TestEventsOfACellThatRuns(t *testing.T) {
	t.Parallel()
	cell, file := startDev(t, "--http", "--session-lease", "500ms")
	out, _ := cell.text()
	pages := regexp.MustCompile(`(?m)^pages +(\S+)$`).FindStringSubmatch(out)
	require.NotNil(t, pages, out)
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	var streams []*bufio.Scanner
	serving := 0
	read := func(s *bufio.Scanner) (e replica.Event) {
		require.True(t, s.Scan(), "the stream has ended: %v", s.Err())
		d := json.NewDecoder(strings.NewReader(s.Text()))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&e), s.Text())
		require.False(t, e.At.IsZero())
		return e
	}
	for i, page := range strings.Split(pages[1], ",") {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+page+"/events", nil)
		require.NoError(t, err)
		r, err := http.DefaultClient.Do(q)
		require.NoError(t, err)
		defer r.Body.Close()
		require.Equal(t, http.StatusOK, r.StatusCode)
		require.Equal(t, "application/jsonl; charset=utf-8", r.Header.Get("Content-Type"))
		streams = append(streams, bufio.NewScanner(r.Body))
		e := read(streams[i])
		require.Equal(t, replica.EventState, e.Kind)
		require.EqualValues(t, i+1, e.Replica)
		if *e.Serving {
			serving++
		}
	}
	require.Equal(t, 1, serving)

	p := start(t, "lock", "--cell", file, "--lock-delay", "3s", "/job", "--", "sh", "-c", "echo held; exec sleep 1000")
	p.says(t, "held")
	require.NoError(t, p.Process.Kill())
	for _, s := range streams {
		var expired, delayed bool
		for !expired || !delayed {
			switch e := read(s); e.Kind {
			case replica.EventSessionExpired:
				expired = expired || e.Session != 0
			case replica.EventLockDelay:
				require.Equal(t, "/job", e.Path)
				require.InDelta(t, 3, e.Delay, 1e-9)
				delayed = true
			}
		}
	}
	require.NoError(t, cell.Process.Signal(syscall.SIGTERM))
	for _, s := range streams {
		e := read(s)
		for e.Kind != replica.EventStopped {
			e = read(s)
		}
		require.Empty(t, e.Reason)
		require.False(t, s.Scan(), "nothing follows")
	}
	require.Equal(t, cli.ExitClean, cell.ends(t))
}
