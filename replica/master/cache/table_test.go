package cache_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
)

func path(s string) api.Path {
	p, err := api.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

func paths(all ...string) (out []api.Path) {
	for _, s := range all {
		out = append(out, path(s))
	}
	return out
}

// book is a table, audited after each step, and an instant.
type book struct {
	*testing.T
	*cache.Table
	now time.Time
}

func newBook(t *testing.T, l cache.Limits) *book { return &book{t, cache.New(l), time.Unix(1000, 0)} }

func (b *book) sound() { b.Helper(); require.NoError(b.T, b.Audit()) }

func (b *book) may(id api.SessionID, seq api.Seq, all ...string) (api.DropNumber, bool) {
	defer b.sound()
	return b.Register(id, seq, paths(all...))
}

func (b *book) drop(c cache.Change, all ...string) []cache.Drop {
	defer b.sound()
	return b.DropFor(b.now, c, paths(all...))
}

func (b *book) ack(id api.SessionID, through api.DropNumber) []api.Path {
	defer b.sound()
	return b.Ack(id, through)
}

var plenty = cache.Limits{PerSession: 100, Total: 100}

func TestAChangeDropsWhatOthersHave(t *testing.T) {
	b := newBook(t, plenty)
	b.may(8, 1, "/d/f", "/acl/all")
	b.may(7, 1, "/d/f")
	b.may(7, 2, "/d")
	c := cache.Change{Session: 9, Seq: 1}
	require.False(t, b.IsClear(c, paths("/d/f", "/d")))
	require.True(t, b.IsClear(c, paths("/g")))
	require.Equal(t, []cache.Drop{{7, path("/d/f"), 1}, {8, path("/d/f"), 1}, {7, path("/d"), 2}}, b.drop(c, "/d/f", "/d"))
	require.Empty(t, b.drop(cache.Change{Session: 10, Seq: 1}, "/d/f"), "one drop of a path is under way, however many changes wait")
	queued, told := b.Oldest(7)
	require.Equal(t, b.now, queued)
	require.False(t, told)
	b.Tell(7, 1)
	_, told = b.Oldest(7)
	require.True(t, told)

	require.Equal(t, paths("/d/f"), b.ack(7, 1))
	require.Empty(t, b.ack(7, 1), "again")
	require.Equal(t, paths("/d"), b.ack(7, 2))
	queued, told = b.Oldest(7)
	require.Zero(t, queued)
	require.False(t, told)
	require.False(t, b.IsClear(c, paths("/d/f", "/d")))
	require.Equal(t, paths("/acl/all", "/d/f"), b.EndSession(8))
	require.True(t, b.IsClear(c, paths("/d/f", "/d")))
	require.Zero(t, b.Status().Registrations)
}

// A client drops by itself what it has cached for calls before its change. It is told to drop what it has
// read after it gave the change up.
func TestAnOwnChangeDropsWhatIsOlder(t *testing.T) {
	b := newBook(t, plenty)
	b.may(7, 4, "/f", "/acl/all")
	own := cache.Change{Session: 7, Seq: 5}
	require.True(t, b.IsClear(own, paths("/f")))
	require.Empty(t, b.drop(own, "/f"))
	require.Equal(t, paths("/f"), b.Forget(own, paths("/f", "/g")))
	b.sound()
	b.may(7, 6, "/f")
	b.may(7, 3, "/f") // a late copy
	require.False(t, b.IsClear(own, paths("/f")))
	require.Empty(t, b.Forget(own, paths("/f")))
	require.Len(t, b.drop(own, "/f"), 1)
	require.False(t, b.IsClear(cache.Change{}, paths("/acl/all")), "a sweep is no session's own")
}

// The acknowledgement of a drop ends what was registered before it was queued, and nothing later.
func TestAnAnswerBehindADropStaysRegistered(t *testing.T) {
	b := newBook(t, plenty)
	b.may(7, 1, "/f")
	c := cache.Change{Session: 9, Seq: 1}
	b.drop(c, "/f")
	last, ok := b.may(7, 2, "/f") // the change was given up
	require.True(t, ok)
	require.EqualValues(t, 1, last)
	require.Empty(t, b.ack(7, 1))
	require.False(t, b.IsClear(c, paths("/f")))
	require.Equal(t, []cache.Drop{{7, path("/f"), 2}}, b.drop(c, "/f"))
	require.Equal(t, paths("/f"), b.ack(7, 2))
}

func TestNothingIsCacheableWhileAChangeHoldsIt(t *testing.T) {
	b := newBook(t, plenty)
	b.Hold(paths("/f", "/d"))
	b.Hold(paths("/f"))
	_, ok := b.may(7, 1, "/g", "/f")
	require.False(t, ok)
	require.Zero(t, b.Status().Registrations, "not even in part")
	b.Release(paths("/f"))
	require.Equal(t, 2, b.Status().Held)
	_, ok = b.may(7, 1, "/f")
	require.False(t, ok)
	b.Release(paths("/f", "/d"))
	_, ok = b.may(7, 1, "/f")
	require.True(t, ok)
}

// A session that reaches its limit is told to drop all, and until it has, none of its answers is cacheable
// (H08). Other sessions are not affected.
func TestASessionThatIsFullDropsAll(t *testing.T) {
	b := newBook(t, cache.Limits{PerSession: 3, Total: 100})
	b.may(8, 1, "/x")
	b.may(7, 1, "/a", "/b")
	require.True(t, b.IsFull(7, paths("/b", "/c", "/d")))
	require.False(t, b.IsFull(7, paths("/b", "/c")))
	_, ok := b.may(7, 2, "/c", "/d")
	require.False(t, ok)
	require.EqualValues(t, 1, b.DropAll(b.now, 7))
	b.sound()
	require.False(t, b.IsFull(7, paths("/c", "/d")), "it is told already")
	_, ok = b.may(7, 3, "/c")
	require.False(t, ok)
	require.False(t, b.IsClear(cache.Change{Session: 9, Seq: 1}, paths("/a")), "it may have it still")
	require.Empty(t, b.drop(cache.Change{Session: 9, Seq: 1}, "/a"), "it is told already")
	require.Equal(t, paths("/a", "/b"), b.ack(7, 1))
	last, ok := b.may(7, 4, "/c")
	require.True(t, ok)
	require.EqualValues(t, 1, last)
	require.Equal(t, 2, b.Status().Registrations)
}

// Unacknowledged drops take room as well, so a session that reads and acknowledges nothing has a bounded
// number of them.
func TestDropsThatAreNotAcknowledgedTakeRoom(t *testing.T) {
	b := newBook(t, cache.Limits{PerSession: 3, Total: 100})
	c := cache.Change{Session: 9, Seq: 1}
	drops := 0
	for seq := range api.Seq(9) {
		b.may(7, seq, "/f")
		drops += len(b.drop(c, "/f"))
	}
	require.Equal(t, 3, drops)
	require.Equal(t, 3, b.Status().Pending)
}

// A full table makes further paths uncacheable and forgets no registration.
func TestAFullTableTakesNoMore(t *testing.T) {
	b := newBook(t, cache.Limits{PerSession: 3, Total: 2})
	b.may(7, 1, "/a", "/b")
	_, ok := b.may(8, 1, "/a")
	require.False(t, ok)
	require.False(t, b.IsFull(8, paths("/a")), "to drop what it has would not help")
	_, ok = b.may(7, 2, "/b")
	require.True(t, ok, "it may have that already")
	b.Forget(cache.Change{Session: 7, Seq: 3}, paths("/b"))
	_, ok = b.may(8, 2, "/a")
	require.True(t, ok)
	require.Error(t, cache.Limits{PerSession: 1}.Validate())
	require.NoError(t, cache.DefaultLimits.Validate())
}
