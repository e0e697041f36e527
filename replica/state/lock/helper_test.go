package lock_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
)

var (
	file  = ref("/f", 3)
	other = ref("/g", 4)
)

func ref(path string, i api.Instance) api.Ref {
	p, err := api.ParsePath(path)
	if err != nil {
		panic(err)
	}
	return api.Ref{Path: p, Instance: i}
}

// owners by one letter: the sessions are 1 to 4, and a is a second handle of A's.
var owners = map[string]lock.Owner{
	"A": {Session: 1, Handle: api.HandleID{Epoch: 1, Counter: 1}},
	"a": {Session: 1, Handle: api.HandleID{Epoch: 1, Counter: 2}},
	"B": {Session: 2, Handle: api.HandleID{Epoch: 1, Counter: 3}},
	"C": {Session: 3, Handle: api.HandleID{Epoch: 2, Counter: 1}},
	"D": {Session: 4, Handle: api.HandleID{Epoch: 2, Counter: 2}},
}

func nameOf(o lock.Owner) string {
	for name, x := range owners {
		if x == o {
			return name
		}
	}
	return o.String()
}

// table is a lock table in a log: each call of step is one command.
type table struct {
	t    require.TestingT
	tx   *db.Txn
	last api.Number
}

func newTable(t require.TestingT) *table { return &table{t: t, tx: db.New().Begin(), last: 9} }

func (b *table) step() api.Number {
	b.last++
	return b.last
}

func (b *table) acquire(who string, n api.Ref, m api.Mode, d api.LockDelay) lock.Grant {
	g, _ := lock.Acquire(b.tx, b.step(), lock.Claim{Lock: n, Owner: owners[who], Mode: m, Delay: d})
	return g
}

func (b *table) audit() { require.NoError(b.t, lock.Audit(b.tx)) }

// breaks requires that f breaks the invariant.
func breaks(t *testing.T, id invariant.ID, f func()) {
	t.Helper()
	v := invariant.Caught(f)
	require.NotNil(t, v, "no invariant was broken")
	require.Equal(t, id, v.ID)
}

// show prints a lock in one line.
func (b *table) show(n api.Ref) string {
	s := lock.Get(b.tx, n)
	var parts []string
	for _, h := range lock.Holders(b.tx, n) {
		parts = append(parts, fmt.Sprintf("%s since %d", nameOf(h.Owner), h.Acquisition))
	}
	for _, d := range lock.Delays(b.tx) {
		if d.Lock == n {
			parts = append(parts, fmt.Sprintf("delay %v from %d", d.Length, d.Freed))
		}
	}
	if s == (lock.State{}) && len(parts) == 0 {
		return "never held"
	}
	return strings.TrimSpace(fmt.Sprintf("%v %d %s", s.Mode, s.Gen, strings.Join(parts, ", ")))
}

// showAll prints the lock, and the other one if it was ever held.
func (b *table) showAll() string {
	if lock.Get(b.tx, other) == (lock.State{}) {
		return b.show(file)
	}
	return b.show(file) + "; the other: " + b.show(other)
}

func showEffects(all []lock.Effect) string {
	var parts []string
	for _, e := range all {
		switch e := e.(type) {
		case lock.Granted:
			parts = append(parts, fmt.Sprintf("granted %s %v generation %d acquisition %d", nameOf(e.Owner), e.Mode, e.Gen, e.Acquisition))
		case lock.Freed:
			how := "released"
			if e.Failed {
				how = "failed"
			}
			parts = append(parts, fmt.Sprintf("%s %s acquisition %d", nameOf(e.Owner), how, e.Acquisition))
		case lock.DelayBegan:
			parts = append(parts, fmt.Sprintf("delay %v began at %d", e.Delay, e.Freed))
		case lock.DelayEnded:
			parts = append(parts, fmt.Sprintf("delay of %d ended", e.Freed))
		case lock.Claimable:
			parts = append(parts, "claimable")
		}
	}
	return strings.Join(parts, ", ")
}
