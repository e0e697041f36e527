package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Read tests a call as the log would, except for the guard, and leaves nothing behind.
func TestReadIsACallThatLeavesNothing(t *testing.T) {
	d := db.New()
	apply := func(c command.Command) command.Applied {
		tx := d.Begin()
		defer tx.Commit()
		return command.Apply(tx, string(command.Append(nil, c)))
	}
	apply(command.Epoch{Master: 1, Ballot: rows.Ballot{Round: 1, Node: 1}})
	id := apply(command.Call{Guard: 1, Op: api.OpenSession{Nonce: api.Nonce{1, 2}}}).Result.Session
	call := func(seq, seen api.Seq, op api.Op) command.Call {
		return command.Call{Guard: 1, Session: id, Seq: seq, AckedThrough: seen, Op: op}
	}
	apply(call(1, 0, api.Put{Key: "a", Value: "x"}))
	logged := apply(call(2, 1, api.Get{Key: "a"})).Result
	apply(call(3, 1, api.Put{Key: "a", Value: "y"}))
	before := d.Checksum()

	present := api.Result{Code: api.OK, Found: true, Value: "y"}
	for _, c := range []struct {
		what string
		call command.Call
		want api.Result
	}{
		{"a row", call(4, 1, api.Get{Key: "a"}), present},
		{"no row", call(4, 1, api.Get{Key: "b"}), api.Result{Code: api.NotFound}},
		{"all rows", call(4, 1, api.List{}), api.Result{Code: api.OK, Pairs: []api.Pair{{Key: "a", Value: "y"}}}},
		{"whatever guard it would have had", command.Call{Session: id, Seq: 4, Op: api.Get{Key: "a"}}, present},
		{"a call that the log has answered", call(2, 1, api.Get{Key: "a"}), logged},
		{"a call that the client has given up", call(1, 0, api.Get{Key: "a"}), api.Result{Code: api.Stale}},
		{"another session", command.Call{Session: id + 1, Seq: 1, Op: api.Get{Key: "a"}}, api.Result{Code: api.NoSession}},
		{"a malformed call", call(4, 5, api.Get{Key: "a"}), api.Result{Code: api.Invalid}},
		{"what writes", call(4, 1, api.Put{Key: "a", Value: "z"}), api.Result{Code: api.Invalid}},
	} {
		require.Equal(t, c.want, command.Read(d, c.call), c.what)
	}
	require.Equal(t, before, d.Checksum())
}

func TestWhatOnlyReads(t *testing.T) {
	for op, reads := range map[api.Op]bool{
		api.Get{}: true, api.List{}: true, api.Put{}: false, api.Delete{}: false, api.CompareAndSet{}: false,
		api.EndSession{}: false, api.OpenSession{}: false,
	} {
		require.Equal(t, reads, command.IsRead(op), "%T", op)
	}
}
