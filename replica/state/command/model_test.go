package command_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// twin is a cell without rows, codec, clean-up or bounds: maps that only grow.
// It remembers every execution for ever, so it cannot execute a call twice.
type twin struct {
	number   uint64
	epoch    api.Epoch
	user     map[string]string
	opened   map[api.Nonce]api.SessionID // alive ones only
	seen     map[api.SessionID]api.Seq   // alive ones only
	executed map[callName]api.Result
}

type callName struct {
	session api.SessionID
	seq     api.Seq
}

func newTwin() *twin {
	return &twin{user: map[string]string{}, opened: map[api.Nonce]api.SessionID{},
		seen: map[api.SessionID]api.Seq{}, executed: map[callName]api.Result{}}
}

func (w *twin) apply(c command.Command) api.Result {
	w.number++
	call, ok := c.(command.Call)
	if !ok {
		w.epoch++
		return api.Result{Code: api.OK}
	}
	if op, ok := call.Op.(api.OpenSession); ok {
		return w.open(call.Guard, op.Nonce)
	}
	seen, alive := w.seen[call.Session]
	name := callName{call.Session, call.Seq}
	before, done := w.executed[name]
	switch {
	case !alive:
		return api.Result{Code: api.NoSession}
	case call.Seq <= seen:
		return api.Result{Code: api.Stale}
	case done:
		return before
	case call.Guard != w.epoch:
		return api.Result{Code: api.Aborted}
	}
	w.seen[call.Session] = max(seen, call.AckedThrough)
	w.executed[name] = w.do(call)
	return w.executed[name]
}

func (w *twin) open(guard api.Epoch, nonce api.Nonce) api.Result {
	if id, ok := w.opened[nonce]; ok {
		return api.Result{Code: api.OK, Session: id}
	}
	if guard != w.epoch {
		return api.Result{Code: api.Aborted}
	}
	id := api.SessionID(w.number)
	w.opened[nonce], w.seen[id] = id, 0
	return api.Result{Code: api.OK, Session: id}
}

func (w *twin) do(c command.Call) api.Result {
	ok := api.Result{Code: api.OK}
	switch op := c.Op.(type) {
	case api.EndSession:
		delete(w.seen, c.Session)
		for nonce, id := range w.opened {
			if id == c.Session {
				delete(w.opened, nonce)
			}
		}
	case api.Put:
		w.user[op.Key] = op.Value
	case api.Get:
		value, found := w.user[op.Key]
		if !found {
			return api.Result{Code: api.NotFound}
		}
		return api.Result{Code: api.OK, Found: true, Value: value}
	case api.Delete:
		if _, found := w.user[op.Key]; !found {
			return api.Result{Code: api.NotFound}
		}
		delete(w.user, op.Key)
	case api.CompareAndSet:
		value, found := w.user[op.Key]
		if found == op.Absent || !op.Absent && value != op.Expect {
			return api.Result{Code: api.Conflict, Found: found, Value: value}
		}
		w.user[op.Key] = op.Value
	case api.List:
		for k, v := range w.user {
			if strings.HasPrefix(k, op.Prefix) {
				ok.Pairs = append(ok.Pairs, api.Pair{Key: k, Value: v})
			}
		}
		slices.SortFunc(ok.Pairs, func(a, b api.Pair) int { return strings.Compare(a.Key, b.Key) })
	}
	return ok
}

// draft draws commands of a client that is hard on the cell: several calls at once, copies of
// old commands at any time, with their old guard or the present one.
type draft struct {
	sent []command.Command
	next map[api.SessionID]api.Seq
}

func (d *draft) op(t *rapid.T) api.Op {
	key := rapid.SampledFrom([]string{"a", "b", "g/1", "g/2"}).Draw(t, "key")
	value := rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "value")
	switch rapid.IntRange(0, 6).Draw(t, "op") {
	case 0:
		return api.Get{Key: key}
	case 1:
		return api.Delete{Key: key}
	case 2:
		return api.CompareAndSet{Key: key, Expect: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "expect"), Value: value}
	case 3:
		return api.CompareAndSet{Key: key, Absent: true, Value: value}
	case 4:
		return api.List{Prefix: rapid.SampledFrom([]string{"", "g/"}).Draw(t, "prefix")}
	}
	return api.Put{Key: key, Value: value}
}

func (d *draft) call(t *rapid.T, w *twin) command.Command {
	var ids []api.SessionID
	for id := range d.next {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := rapid.SampledFrom(append(ids, 77777)).Draw(t, "session")
	d.next[id]++
	op := d.op(t)
	if rapid.IntRange(0, 15).Draw(t, "end") == 0 {
		op = api.EndSession{}
	}
	back := api.Seq(rapid.IntRange(1, 6).Draw(t, "back"))
	seq := d.next[id]
	return command.Call{Guard: w.epoch, Session: id, Seq: seq, AckedThrough: seq - min(back, seq), Op: op}
}

func (d *draft) command(t *rapid.T, w *twin) command.Command {
	switch what := rapid.IntRange(0, 19).Draw(t, "what"); {
	case what == 0:
		return command.Epoch{Master: uint32(1 + what%3), Ballot: rows.Ballot{Round: w.number, Node: 1}}
	case what <= 2:
		nonce := api.Nonce{1, uint64(rapid.IntRange(0, 4).Draw(t, "nonce"))}
		return command.Call{Guard: w.epoch, Op: api.OpenSession{Nonce: nonce}}
	case what <= 8 && len(d.sent) > 0: // a copy, delayed
		return rapid.SampledFrom(d.sent).Draw(t, "copy")
	case what <= 11 && len(d.sent) > 0: // a retry: received now, so with the present guard
		c := rapid.SampledFrom(d.sent).Draw(t, "retry")
		if call, ok := c.(command.Call); ok {
			call.Guard = w.epoch
			return call
		}
		return c
	}
	return d.call(t, w)
}

func TestApplyIsItsTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, w := db.New(), newTwin()
		dr := draft{next: map[api.SessionID]api.Seq{}}
		times := map[callName]int{}
		for range rapid.IntRange(1, 150).Draw(t, "commands") {
			c := dr.command(t, w)
			dr.sent = append(dr.sent, c)
			tx := d.Begin()
			a := command.Apply(tx, string(command.Append(nil, c)))
			tx.Commit()
			require.Equal(t, w.apply(c), a.Result, "%#v", c)
			require.EqualValues(t, w.number, a.Number)
			if a.Result.Session != 0 {
				dr.next[a.Result.Session] += 0
			}
			if call, ok := c.(command.Call); ok && call.Session != 0 && a.Verdict == command.Executed {
				times[callName{call.Session, call.Seq}]++
			}
			require.NoError(t, command.Audit(d))
		}
		for name, n := range times {
			require.Equal(t, 1, n, "%v was executed %d times", name, n)
		}
		w.sameUserRows(t, d)
		require.Equal(t, w.epoch, rows.GetEpoch(d).Number)
		require.EqualValues(t, len(w.seen), rows.GetTotals(d).Sessions)
	})
}

func (w *twin) sameUserRows(t *rapid.T, d *db.DB) {
	got := map[string]string{}
	for key, value := range d.Scan(rows.UserKey("")) {
		k, _ := rows.ParseKey(key)
		got[k.Name] = value
	}
	require.Equal(t, w.user, got)
}

// S6: the same commands give the same rows, however they are divided into slots and however a replica
// got its rows.
func TestEqualCommandsGiveEqualChecksums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, dr := newTwin(), draft{next: map[api.SessionID]api.Seq{1: 0, 2: 0, 3: 0}}
		a, b := db.New(), db.New()
		var slot []string
		for range rapid.IntRange(1, 80).Draw(t, "commands") {
			c := dr.command(t, w)
			dr.sent = append(dr.sent, c)
			w.apply(c)
			raw := string(command.Append(nil, c))
			applyAll(a, raw)
			if slot = append(slot, raw); rapid.Bool().Draw(t, "end of slot") {
				applyAll(b, slot...)
				slot = nil
			}
		}
		applyAll(b, slot...)
		require.Equal(t, a.Checksum(), b.Checksum())
		require.Equal(t, a.Checksum(), a.View().Recompute())
	})
}

func applyAll(d *db.DB, raws ...string) {
	tx := d.Begin()
	for _, raw := range raws {
		command.Apply(tx, raw)
	}
	tx.Commit()
}

func BenchmarkApplyPut(b *testing.B) {
	cl := newCell(b)
	e, id := cl.epoch(), cl.open(1)
	seq := api.Seq(0)
	b.ReportAllocs()
	for b.Loop() {
		seq++
		cl.apply(command.Call{Guard: e, Session: id, Seq: seq, AckedThrough: seq - 1, Op: api.Put{Key: "k", Value: "v"}})
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "apply/s")
}
