package server_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A probe that asks for the header of /events alone is answered, and takes no place of a reader: its connection is
// free for the next request.
func TestAProbeOfEventsIsNoReader(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	s := newCell(t, 1).servers[1]
	probe := http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer probe.CloseIdleConnections()
	for _, q := range []struct{ method, page string }{{http.MethodHead, "/events"}, {http.MethodGet, "/livez"}} {
		r, err := http.NewRequestWithContext(ctx, q.method, "http://"+s.HTTPAddr().String()+q.page, nil)
		require.NoError(t, err)
		a, err := probe.Do(r)
		require.NoError(t, err)
		require.NoError(t, a.Body.Close())
		require.Equal(t, http.StatusOK, a.StatusCode)
		if q.page == "/events" {
			require.Equal(t, "application/jsonl; charset=utf-8", a.Header.Get("Content-Type"))
		}
	}
}
