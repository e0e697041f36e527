package torture

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
)

// forged is a history of rows, and the log beside it.
type forged struct {
	t    *testing.T
	h    *kvHistory
	seen *order
	seq  api.Seq
}

func newForged(t *testing.T) *forged {
	return &forged{t: t, seen: newOrder(), h: &kvHistory{clock: &clock{begun: time.Now()}, model: linearizability.KV(), name: "rows-1", changes: rowChanges}}
}

// does has a call begin and end; slot 0: it is nowhere in the log.
func (f *forged) does(slot int64, in linearizability.KVInput, out linearizability.KVOutput, err error) {
	f.seq++
	_, at := f.h.begin(context.Background(), in)
	*f.h.trails[at].written = client.CallID{Session: 1, Seq: f.seq}
	f.h.end(1, at, out, err)
	if slot != 0 {
		f.seen.calls[call{1, f.seq}] = effect{linearizability.Position{Slot: slot}, api.OK}
	}
}

func value(v string) linearizability.KVOutput { return linearizability.KVOutput{Found: true, Value: v} }

func TestForgedHistoriesAreFound(t *testing.T) {
	lost := errors.Join(client.ErrOutcomeUnknown, context.DeadlineExceeded)
	for name, c := range map[string]struct {
		broken string
		do     func(f *forged)
	}{
		"a write, and a read of it": {"", func(f *forged) {
			f.does(1, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, nil)
			f.does(0, linearizability.Get("g/a"), value("1"), nil)
		}},
		"an acknowledged write is lost": {"S4", func(f *forged) {
			f.does(1, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, nil)
			f.does(0, linearizability.Get("g/a"), linearizability.KVOutput{}, nil)
		}},
		"an acknowledged write is nowhere in the log": {"S3", func(f *forged) {
			f.does(0, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, nil)
		}},
		"a write that was not executed takes effect": {"S4", func(f *forged) {
			f.does(1, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, client.ErrSessionExpired)
		}},
		"a write of unknown outcome takes effect": {"", func(f *forged) {
			f.does(1, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, lost)
			f.does(0, linearizability.Get("g/a"), value("1"), nil)
		}},
		"or not": {"", func(f *forged) {
			f.does(0, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, lost)
			f.does(0, linearizability.Get("g/a"), linearizability.KVOutput{}, nil)
		}},
		"the log has another order than real time": {"S4", func(f *forged) {
			f.does(2, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, nil)
			f.does(1, linearizability.Put("g/a", "2"), linearizability.KVOutput{}, nil)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newForged(t)
			c.do(f)
			require.Equal(t, c.broken, f.h.judge(f.seen, linearizability.Budget{}).broken)
		})
	}
}

// Without a log the search finds what was lost, and the evidence is a file that chubby check
// reads.
func TestAForgedHistoryIsEvidence(t *testing.T) {
	f := newForged(t)
	f.does(0, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, nil)
	f.does(0, linearizability.Get("g/a"), value("2"), nil)
	v := f.h.judge(nil, linearizability.Budget{})
	require.Equal(t, "S4", v.broken)
	require.Contains(t, v.text, "rows-1")
	path := filepath.Join(t.TempDir(), "rows-1")
	require.NoError(t, f.h.write(path))
	file, err := os.Open(path + ".jsonl")
	require.NoError(t, err)
	defer file.Close()
	report, err := linearizability.CheckFile(file, "kv", linearizability.Options{})
	require.NoError(t, err)
	require.Equal(t, linearizability.Illegal, report.Verdict)
	require.FileExists(t, path+".html")
}

// A history is judged while its calls are under way. The client writes the identity of such a call at any time: the
// race detector sees whether the snapshot reads it. Only a history at rest is settled with the log.
func TestASnapshotLeavesAloneWhatTheClientWrites(t *testing.T) {
	f := newForged(t)
	f.does(1, linearizability.Put("g/a", "1"), linearizability.KVOutput{}, nil)
	r := &run{books: []book{f.h}}
	_, at := f.h.begin(t.Context(), linearizability.Put("g/a", "2"))
	id := f.h.trails[at].written
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		*id = client.CallID{Session: 1, Seq: 2}
	}()
	_, ids := f.h.snapshot()
	require.Equal(t, []client.CallID{{Session: 1, Seq: 1}, {}}, ids)
	require.Empty(t, r.oldest(0), "a call is under way")
	<-sent
	f.h.end(1, at, linearizability.KVOutput{}, nil)
	_, ids = f.h.snapshot()
	require.Equal(t, []client.CallID{{Session: 1, Seq: 1}, {Session: 1, Seq: 2}}, ids)
	require.Equal(t, []book{f.h}, r.oldest(0))
}

func TestForgedHoldsAreFound(t *testing.T) {
	second := int64(time.Second)
	for name, c := range map[string]struct {
		broken string
		holds  []*hold
	}{
		"one after the other":  {"", []*hold{{"a", 1, 1, 2, true}, {"b", 2, 3, 4, true}}},
		"at one time":          {"S8", []*hold{{"a", 1, 1, 5, true}, {"b", 2, 3, 4, true}}},
		"one generation":       {"S8", []*hold{{"a", 1, 1, 2, true}, {"b", 1, 3, 4, true}}},
		"inside a lock-delay":  {"S8", []*hold{{"a", 1, 1, 2, false}, {"b", 2, 2 * second, 3 * second, true}}},
		"behind it":            {"", []*hold{{"a", 1, 1, 2, false}, {"b", 2, 4 * second, 5 * second, true}}},
		"seen for one instant": {"", []*hold{{"a", 2, 5, 4, true}, {"b", 1, 6, 7, true}}},
	} {
		l := &lock{name: "/ls/local/l", delay: 3 * time.Second, holds: c.holds}
		property, text := l.judge()
		require.Equal(t, c.broken, property, "%s: %s", name, text)
	}
}

// A resource loses an update only if two holders have one generation.
func TestTheResourceRefusesAnOldHolder(t *testing.T) {
	var r resource
	r.increment(2, 1)
	r.increment(1, 2)
	require.EqualValues(t, 1, r.version)
	require.Empty(t, linearizability.CheckFencing(r.log()))
	base, ok := r.read(3, 3)
	require.True(t, ok)
	r.increment(3, 4)
	r.write(3, 3, base)
	l := &lock{name: "/ls/local/l"}
	l.res.accesses = r.log()
	property, text := l.judge()
	require.Equal(t, "S10", property, text)
}
