package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// In these cells the rows of each package are right by themselves, and do not agree with those of another.
func TestTheAuditOfACellFindsWhatIsWrongBetweenItsPackages(t *testing.T) {
	d := db.New()
	require.NoError(t, command.Audit(d), "a cell that was not founded yet")
	tx := d.Begin()
	next := func() api.Number { return rows.NextNumber(tx) }
	tree.Make(tx, next(), founding())
	rows.SetSecret(tx, [32]byte{1})
	rows.OpenSession(tx, api.SessionID(next()), api.Nonce{1}, "ann")
	file := func(where string) api.Ref {
		out := tree.Create(tx, next(), tree.Creation{Path: path(where), Kind: api.File, Owner: "ann"})
		require.Equal(t, api.OK, out.Code)
		return out.Node
	}
	f, never := file("/f"), file("/g")
	ann := lock.Owner{Session: 2, Handle: api.HandleID{Epoch: 1, Counter: 1}}
	acquire := func(n api.Ref, o lock.Owner) {
		at := next()
		g, _ := lock.Acquire(tx, at, lock.Claim{Lock: n, Owner: o, Mode: api.Shared, Delay: 1})
		require.Equal(t, api.OK, g.Code)
		if g.Gen == api.LockGen(at) {
			tree.BumpLock(tx, at, n)
		}
	}
	acquire(f, ann)
	tx.Commit()
	require.NoError(t, command.Audit(d))
	last := rows.GetTotals(d).Commands

	for name, c := range map[string]struct {
		want string
		do   func()
	}{
		"a key of no family": {"I-R1: no family", func() { tx.Put("x", "") }},
		"rows that are wrong": {"I-R4", func() {
			rows.EndSession(tx, 2)
			tx.Put("d\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01", "")
		}},
		"a tree that is wrong":             {"I-F4", func() { tx.Put("b\x01f", "\x01x") }},
		"locks that are wrong":             {"I-K", func() { tx.DeleteAll("ll") }},
		"a holder whose session has ended": {"I-R6", func() { rows.EndSession(tx, 2) }},
		"a holder of no session":           {"I-R6", func() { acquire(f, lock.Owner{Session: 9, Handle: api.HandleID{Epoch: 1, Counter: 1}}) }},
		"a hold of a command to come": {"I-R6", func() {
			lock.Acquire(tx, last+9, lock.Claim{Lock: f, Owner: lock.Owner{Session: 2, Handle: api.HandleID{Epoch: 2}}, Mode: api.Shared})
		}},
		"a delay of a command to come": {"I-R6", func() { lock.FailHandle(tx, last+9, ann) }},
		"the lock of a node that went": {"I-R7: the lock /f", func() { tree.Delete(tx, last, f) }},
		"a lock older than its node's": {"I-R7: the lock /f", func() { next(); tree.BumpLock(tx, last+1, f) }},
		"a lock that its node knows not": {"I-R7: the lock /g", func() {
			lock.Acquire(tx, last, lock.Claim{Lock: never, Owner: lock.Owner{Session: 2, Handle: api.HandleID{Epoch: 2}}, Mode: api.Shared})
		}},
		"a node whose lock is no more": {"I-R7: the node /f", func() { lock.Forget(tx, f) }},
		"a tree without a secret":      {"I-R8", func() { tx.Delete("h") }},
		"a secret without a tree": {"I-R8", func() {
			for _, family := range []string{"t", "b", "p", "q", "l"} {
				tx.DeleteAll(family)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			tx = d.Begin()
			defer tx.Rollback()
			c.do()
			require.ErrorContains(t, command.Audit(tx), c.want)
		})
	}
}
