package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// TestTouches checks which rows of each kind each command may change. Commands make the rows, so the
// keys are the real ones.
func TestTouches(t *testing.T) {
	cl := newCell(t)
	e := cl.epoch()
	own, other := cl.open(1), cl.open(2)
	cl.apply(command.Call{Guard: e, Session: own, Seq: 1, Op: api.Put{Key: "k", Value: "v"}})
	cl.apply(command.Call{Guard: e, Session: other, Seq: 1, Op: api.Put{Key: "l", Value: "v"}})
	cl.apply(command.Constant{Guard: e, Name: "c", Value: "v"})
	names := map[string]string{}
	for key := range cl.db.Ascend("", "") {
		names[name(key, own)] = key
	}
	require.Len(t, names, 11)
	session := []string{"totals", "own session", "own answer"}
	writes := append([]string{"user k"}, session...)
	for _, c := range []struct {
		cmd  command.Command
		want []string
	}{
		{nil, []string{"totals"}},
		{command.Epoch{Master: 1}, []string{"totals", "epoch"}},
		{command.Constant{Name: "c"}, []string{"totals", "constant"}},
		{command.Constant{Name: "d"}, []string{"totals"}},
		{command.Checksum{}, []string{"totals"}},
		{command.Call{Session: own, Op: api.Get{Key: "k"}}, session},
		{command.Call{Session: own, Op: api.List{Prefix: "k"}}, session},
		{command.Call{Session: own, Op: api.Put{Key: "k"}}, writes},
		{command.Call{Session: own, Op: api.Delete{Key: "k"}}, writes},
		{command.Call{Session: own, Op: api.CompareAndSet{Key: "k"}}, writes},
		{command.Call{Session: own, Op: api.EndSession{}}, append([]string{"own opener", "other opener"}, session...)},
		{command.Call{Op: api.OpenSession{Nonce: api.Nonce{1}}}, []string{"totals", "own session", "own opener"}},
	} {
		f := command.FootprintOf(c.cmd)
		var got []string
		for n, key := range names {
			if f.CanChange(key, api.Number(own)) {
				got = append(got, n)
			}
		}
		require.ElementsMatch(t, c.want, got, "%#v", c.cmd)
	}
	none := command.FootprintOf(nil)
	require.False(t, none.CanChange("no family", 1))
}

func name(key string, own api.SessionID) string {
	k, _ := rows.ParseKey(key)
	whose := "other "
	if k.Session == own || k.Nonce == (api.Nonce{1}) {
		whose = "own "
	}
	switch k.Family {
	case rows.FamilyTotals:
		return "totals"
	case rows.FamilyEpoch:
		return "epoch"
	case rows.FamilyConstant:
		return "constant"
	case rows.FamilySession:
		return whose + "session"
	case rows.FamilyOpener:
		return whose + "opener"
	case rows.FamilyAnswer:
		return whose + "answer"
	}
	return "user " + k.Name
}

// A slot has many commands and one transaction: the footprint of each is compared with its own
// changes, not with those of the commands before it.
func TestManyCommandsOfOneSlotShareATransaction(t *testing.T) {
	d := db.New()
	tx := d.Begin()
	apply := func(c command.Command) command.Applied { return command.Apply(tx, string(command.Append(nil, c))) }
	apply(command.Epoch{Master: 1})
	id := apply(command.Call{Guard: 1, Op: api.OpenSession{Nonce: api.Nonce{1}}}).Result.Session
	put := apply(command.Call{Guard: 1, Session: id, Seq: 1, Op: api.Put{Key: "k", Value: "v"}})
	get := apply(command.Call{Guard: 1, Session: id, Seq: 2, Op: api.Get{Key: "k"}})
	apply(command.Epoch{Master: 2})
	late := apply(command.Call{Guard: 1, Session: id, Seq: 3, Op: api.Delete{Key: "k"}})
	tx.Commit()
	require.Equal(t, api.OK, put.Result.Code)
	require.Equal(t, "v", get.Result.Value)
	require.Equal(t, api.Aborted, late.Result.Code, "the epoch began earlier in the same slot")
	require.Equal(t, rows.Totals{Commands: 6, Sessions: 1}, rows.GetTotals(d))
}
