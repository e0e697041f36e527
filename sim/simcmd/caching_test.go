package simcmd

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/cli"
)

func TestCachingIsMeasured(t *testing.T) {
	w := newWorld()
	w.caching = newCaching
	require.Zero(t, w.do("sim", "experiment", "caching", "--clients", "20", "--readers", "20", "--for", "2m", "--replicas", "3", "-o", "json"), w.err.String())
	var m cachingReport
	require.NoError(t, json.Unmarshal(w.out.Bytes(), &m))
	require.Equal(t, 2*time.Minute, m.On.Simulated)
	require.Greater(t, m.Fewer, 2.0, "many clients ask for less")
	require.Greater(t, m.Off.Requests["GetContents"], m.On.Requests["GetContents"])
	require.Zero(t, m.Off.Drops+m.Off.Failed+m.On.Failed+m.OneFile.Failed)
	require.Greater(t, m.OneFile.Writes, uint64(2))
	require.InDelta(t, 1, m.Told, 0.2, "one message to each reader")
	require.InDelta(t, m.Told, m.Back, 0.05, "and one back")
}

func TestCachingUsage(t *testing.T) {
	for _, flags := range [][]string{{"--clients", "0"}, {"--readers", "0"}, {"--for", "0s"}, {"--replicas", "9"}, {"-o", "xml"}, {"surplus"}} {
		w := newWorld()
		require.Equal(t, cli.ExitUsage, w.do(append([]string{"sim", "experiment", "caching"}, flags...)...), "%v", flags)
	}
}
