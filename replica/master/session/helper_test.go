package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/session"
)

// book is a table of epoch 5 that may grant leases of 12 s, at an instant.
type book struct {
	t    *testing.T
	now  time.Time
	used map[api.SessionID]bool // sessions that are in use

	looked int // times that the table asked whether a session is in use
	*session.Table
}

func config() session.Config {
	return session.Config{LeaseMin: 12 * time.Second, LeaseMax: time.Minute, KeepAliveRate: 1}
}

func newBook(t *testing.T, cfg session.Config) *book {
	return &book{t: t, now: time.Unix(1000, 0), used: map[api.SessionID]bool{}, Table: session.New(cfg, 5, 12*time.Second)}
}

// next returns the task that is due now, with authority.
func (b *book) next() session.Task {
	return b.Next(b.now, b.now, func(id api.SessionID) bool {
		b.looked++
		return b.used[id]
	})
}

func (b *book) park(id api.SessionID, sending uint64, now bool) {
	b.Park(id, session.KeepAlive{From: 9, ID: sending, Receipt: b.now, Now: now})
}

// to sets the time to an instant after the start of the test.
func (b *book) to(d time.Duration) { b.now = time.Unix(1000, 0).Add(d) }

// told returns the next task, which must be an Answer.
func (b *book) told() session.Answer {
	b.t.Helper()
	a, ok := b.next().(session.Answer)
	require.True(b.t, ok)
	return a
}

const sec = time.Second
