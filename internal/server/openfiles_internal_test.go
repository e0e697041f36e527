package server

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/logtest"
)

// Connections of clients leave the replica the files that it needs, and the log says where that leaves too few for clients.
func TestConnectionsLeaveFilesForTheReplica(t *testing.T) {
	for _, c := range []struct {
		clients int
		files   uint64
		want    int
		says    string
	}{
		{10_000, 0, 20_016, ""},
		{10_000, math.MaxUint64, 20_016, ""},
		{10_000, 20_016 + keptFiles, 20_016, ""},
		{10_000, 20_015 + keptFiles, 20_015, ""},
		{10_000, 10_000 + keptFiles, 10_000, ""},
		{10_000, 9_999 + keptFiles, 9_999, "max_clients=10000 connections=9999 open_files=10511 needed=20528"},
		{10_000, 1_024, 512, "max_clients=10000 connections=512 open_files=1024"},
		{10_000, 256, 128, "connections=128"},
		{10_000, 1, 1, "connections=1"},
		{100, 1_024, 216, ""},
		{100, 700, 216, ""},
	} {
		log := new(logtest.Log)
		got := connections(c.clients, c.files, log.Logger())
		require.Equal(t, c.want, got, "%+v", c)
		if c.says == "" {
			require.Empty(t, log.String())
		} else {
			require.Contains(t, log.String(), "level=WARN")
			require.Contains(t, log.String(), c.says)
		}
	}
}
