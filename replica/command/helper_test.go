package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/replica/rows"
)

// cell is a replica reduced to its rows: it applies one command a slot.
type cell struct {
	t  testing.TB
	db *db.DB
}

func newCell(t testing.TB) *cell { return &cell{t, db.New()} }

func (c *cell) raw(b string) command.Applied {
	tx := c.db.Begin()
	a := command.Apply(tx, b)
	tx.Commit()
	return a
}

func (c *cell) apply(cmd command.Command) command.Applied {
	return c.raw(string(command.Append(nil, cmd)))
}

// epoch begins the next epoch.
func (c *cell) epoch() api.Epoch {
	n := uint64(rows.GetEpoch(c.db).Number) + 1
	a := c.apply(command.Epoch{Master: 1, Ballot: rows.Ballot{Round: n, Node: 1}})
	require.Equal(c.t, command.Executed, a.Verdict)
	return rows.GetEpoch(c.db).Number
}

// open opens a session in the present epoch.
func (c *cell) open(nonce uint64) api.SessionID {
	a := c.apply(command.Call{Guard: rows.GetEpoch(c.db).Number, Op: api.OpenSession{Nonce: api.Nonce{nonce}}})
	require.Equal(c.t, api.OK, a.Result.Code)
	return a.Result.Session
}

// user reads a user row past all commands.
func (c *cell) user(key string) string {
	value, ok := c.db.Get(rows.UserKey(key))
	if !ok {
		return "<none>"
	}
	return value
}
