package command_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// BenchmarkApplyWrites is what each replica does for each write of 100 bytes by 128 clients, with a file and a session
// each, in slots of 32 commands. chubby bench --workload write --clients 128 makes such commands.
func BenchmarkApplyWrites(b *testing.B) {
	const clients, slot = 128, 32
	w := newWorld(b)
	var ids []api.SessionID
	var files []api.Ref
	for i := range clients {
		id := w.openAs(uint64(100+i), "ann")
		a := w.apply(w.next(id, command.OpenNode{Path: path(fmt.Sprintf("/bench-%d", i)), Rights: api.RightWrite, Create: api.CreateMust, Kind: api.File}))
		require.Equal(b, api.OK, a.Result.Code)
		ids, files = append(ids, id), append(files, a.Result.Detail.(api.Opened).Node)
	}
	contents := strings.Repeat("x", 100)
	write := func(i int) string {
		c := w.next(ids[i%clients], command.SetContents{Node: files[i%clients], Contents: contents})
		c.AckedThrough = c.Seq - 1
		return string(command.Append(nil, c))
	}
	require.Equal(b, api.OK, w.raw(write(0)).Result.Code)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		var raws []string
		for range slot {
			n++
			raws = append(raws, write(n))
		}
		b.StartTimer()
		applyAll(w.db, raws...)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/write")
}
