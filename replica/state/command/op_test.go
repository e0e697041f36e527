package command_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

func TestEachOperationOnEachRow(t *testing.T) {
	ok := api.Result{Code: api.OK}
	found := func(code api.Code, v string) api.Result { return api.Result{Code: code, Found: true, Value: v} }
	for _, c := range []struct {
		row   string // "-" for none
		op    api.Op
		want  api.Result
		after string
	}{
		{"-", api.Get{Key: "k"}, api.Result{Code: api.NotFound}, "-"},
		{"", api.Get{Key: "k"}, found(api.OK, ""), ""},
		{"v", api.Get{Key: "k"}, found(api.OK, "v"), "v"},
		{"-", api.Put{Key: "k", Value: "w"}, ok, "w"},
		{"v", api.Put{Key: "k", Value: "w"}, ok, "w"},
		{"-", api.Delete{Key: "k"}, api.Result{Code: api.NotFound}, "-"},
		{"v", api.Delete{Key: "k"}, ok, "-"},
		{"-", api.CompareAndSet{Key: "k", Expect: "", Value: "w"}, api.Result{Code: api.Conflict}, "-"},
		{"-", api.CompareAndSet{Key: "k", Absent: true, Value: "w"}, ok, "w"},
		{"", api.CompareAndSet{Key: "k", Absent: true, Value: "w"}, found(api.Conflict, ""), ""},
		{"v", api.CompareAndSet{Key: "k", Absent: true, Value: "w"}, found(api.Conflict, "v"), "v"},
		{"v", api.CompareAndSet{Key: "k", Expect: "v", Value: "w"}, ok, "w"},
		{"v", api.CompareAndSet{Key: "k", Expect: "w", Value: "w"}, found(api.Conflict, "v"), "v"},
		{"-", api.List{Prefix: "k"}, ok, "-"},
		{"v", api.List{Prefix: "k"}, api.Result{Code: api.OK, Pairs: []api.Pair{{Key: "k", Value: "v"}}}, "v"},
		{"v", api.List{}, api.Result{Code: api.OK, Pairs: []api.Pair{{Key: "k", Value: "v"}}}, "v"},
	} {
		cl := newCell(t)
		e, id := cl.epoch(), cl.open(1)
		if c.row != "-" {
			cl.apply(command.Call{Guard: e, Session: id, Seq: 1, Op: api.Put{Key: "k", Value: c.row}})
		}
		call := command.Call{Guard: e, Session: id, Seq: 2, Op: c.op}
		a := cl.apply(call)
		require.Equal(t, c.want, a.Result, "%q %#v", c.row, c.op)
		require.Equal(t, strings.Replace(c.after, "-", "<none>", 1), cl.user("k"), "%q %#v", c.row, c.op)
		writes := c.want.Code == api.OK && command.FootprintOf(call).User != ""
		require.Equal(t, writes, len(a.Effects) == 1, "an effect for each change and for nothing else")
		again := cl.apply(call)
		require.Equal(t, command.Repeated, again.Verdict)
		require.Equal(t, c.want, again.Result, "the answer of then")
	}
}

func TestAListIsInOrderAndOnlyOfItsPrefix(t *testing.T) {
	cl := newCell(t)
	e, id := cl.epoch(), cl.open(1)
	for i, key := range []string{"g1/b", "g1/a", "g10/a", "g2/a", "g1"} {
		cl.apply(command.Call{Guard: e, Session: id, Seq: api.Seq(i + 1), Op: api.Put{Key: key, Value: "v"}})
	}
	a := cl.apply(command.Call{Guard: e, Session: id, Seq: 9, Op: api.List{Prefix: "g1/"}})
	require.Equal(t, []api.Pair{{Key: "g1/a", Value: "v"}, {Key: "g1/b", Value: "v"}}, a.Result.Pairs)
}

// The bound is exactly that of api.FitsList, in rows and in bytes.
func TestAListThatIsTooLargeIsRefusedAndTheRefusalKept(t *testing.T) {
	big := strings.Repeat("v", api.MaxListBytes/4-2)
	for _, c := range []struct {
		name  string
		fits  int
		row   func(i int) string
		value string
	}{
		{"rows", api.MaxListPairs, func(i int) string { return "p" + strconv.Itoa(i) }, ""},
		{"bytes", 4, func(i int) string { return "p" + strconv.Itoa(i) }, big},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := newCell(t)
			e, id := cl.epoch(), cl.open(1)
			tx := cl.db.Begin()
			for i := range c.fits {
				tx.Put(rows.UserKey(c.row(i)), c.value)
			}
			tx.Commit()
			a := cl.apply(command.Call{Guard: e, Session: id, Seq: 1, Op: api.List{Prefix: "p"}})
			require.Equal(t, api.OK, a.Result.Code)
			require.True(t, api.IsListWithinLimits(a.Result.Pairs))
			require.Len(t, a.Result.Pairs, c.fits)
			cl.apply(command.Call{Guard: e, Session: id, Seq: 2, Op: api.Put{Key: c.row(c.fits), Value: "v"}})
			list := command.Call{Guard: e, Session: id, Seq: 3, Op: api.List{Prefix: "p"}}
			require.Equal(t, api.Result{Code: api.TooLarge}, cl.apply(list).Result)
			cl.apply(command.Call{Guard: e, Session: id, Seq: 4, Op: api.Delete{Key: c.row(c.fits)}})
			require.Equal(t, api.Result{Code: api.TooLarge}, cl.apply(list).Result, "a call has one answer")
		})
	}
}
