package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
)

// large is a message of a client as long as any may be.
var large = make([]byte, api.MaxMessage)

// Messages of clients are bounded in bytes, too, and one client leaves room for others.
func TestMessagesThatWaitAreBoundedInBytes(t *testing.T) {
	c := defaultInbox()
	b := NewInbox[string](c)
	fill := func(client core.Addr) (n int) {
		for b.AddClient(client, "ann", large, "x") {
			n++
		}
		return n
	}
	all := int(c.Bytes) / len(large)
	require.InDelta(t, all/2, fill(1), 1)
	require.InDelta(t, all/4, fill(2), 1)
	require.True(t, b.AddClient(3, "ann", get(1), "small"))
	require.True(t, b.AddPeer("p"), "peers have a bound of their own")
	takes(b)
	require.Zero(t, b.bytes.used)
	require.Empty(t, b.bytes.of)
	require.Empty(t, b.bytes.shares)
	require.InDelta(t, all/2, fill(1), 1, "there is room again")
}

// One principal with many clients leaves room for others.
func TestAPrincipalLeavesRoomInBytes(t *testing.T) {
	c := defaultInbox()
	b := NewInbox[string](c)
	n := 0
	for client := core.Addr(100); b.AddClient(client, "eve", large, "e"); client++ {
		n++
	}
	require.InDelta(t, int(c.Bytes)/len(large)*8/9, n, 2)
	require.True(t, b.AddClient(1, "ann", large, "a"))
}

// A message of the largest size always finds room in an empty inbox, so a client that is told to send again
// does not do so for ever.
func TestABoundOfBytesHasRoomForOneMessage(t *testing.T) {
	c := defaultInbox()
	c.Bytes = api.MaxMessage
	require.NoError(t, c.validate())
	b := NewInbox[string](c)
	require.True(t, b.AddClient(1, "ann", large, "x"))
	c.Bytes--
	require.EqualError(t, c.validate(), "driver config: Inbox.Bytes is 1179647; at least 1179648, the largest message")
	require.Panics(t, func() { NewInbox[string](c) })
}

// modelInbox is a dumb twin of an Inbox: a list, over which it sums at each question. It knows which messages find room,
// and in which order those of one client and kind leave, and nothing of turns.
type modelInbox struct {
	c    InboxConfig
	list []modelMessage
}

type modelMessage struct {
	id          int
	from        core.Addr // 0: a peer
	who         api.Principal
	isKeepAlive bool
	size        int64
}

// sum counts the messages, and their bytes, for which match returns true.
func (i *modelInbox) sum(match func(modelMessage) bool) (count int, size int64) {
	for _, m := range i.list {
		if match(m) {
			count, size = count+1, size+m.size
		}
	}
	return count, size
}

func (i *modelInbox) hasRoom(m modelMessage) bool {
	kind := func(x modelMessage) bool { return (x.from == 0) == (m.from == 0) && x.isKeepAlive == m.isKeepAlive }
	clients := func(x modelMessage) bool { return x.from != 0 }
	client := func(x modelMessage) bool { return x.from == m.from }
	principal := func(x modelMessage) bool { return x.from != 0 && x.who == m.who }
	all, _ := i.sum(kind)
	if m.from == 0 {
		return all < i.c.Peers
	}
	own, _ := i.sum(func(x modelMessage) bool { return kind(x) && client(x) })
	share, _ := i.sum(func(x modelMessage) bool { return kind(x) && principal(x) })
	most := i.c.Calls
	if m.isKeepAlive {
		most = i.c.KeepAlives
	}
	left := most - all // before m
	_, allBytes := i.sum(clients)
	_, ownBytes := i.sum(client)
	_, shareBytes := i.sum(principal)
	leftBytes := i.c.Bytes - allBytes - m.size // after m
	return left >= 1 && own+1 <= left && share < 8*left && leftBytes >= 0 && ownBytes <= leftBytes && shareBytes <= 8*leftBytes
}

// take removes a message, and fails if an older one of its client and kind still waits.
func (i *modelInbox) take(t *rapid.T, id int) {
	for n, m := range i.list {
		if m.id == id {
			older := i.list[:n:n]
			for _, x := range older {
				require.False(t, x.from == m.from && x.isKeepAlive == m.isKeepAlive, "message %d left before %d", m.id, x.id)
			}
			i.list = append(older, i.list[n+1:]...)
			return
		}
	}
	t.Fatalf("message %d does not wait", id)
}

func TestAnInboxHasRoomAsItsModelHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(label string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label) }
		c := InboxConfig{
			Peers: number("peers", 1, 4), KeepAlives: number("keepalives", 1, 40), Calls: number("calls", 1, 40),
			Bytes: api.MaxMessage * int64(number("bytes", 1, 12)), Burst: number("burst", 1, 9),
		}
		b, model, made := NewInbox[int](c), modelInbox{c: c}, 0
		add := func(m modelMessage, ok func() bool) {
			has := model.hasRoom(m)
			require.Equal(t, has, ok(), "%+v in %+v", m, model)
			if has {
				model.list = append(model.list, m)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"peer": func(*rapid.T) {
				made++
				add(modelMessage{id: made}, func() bool { return b.AddPeer(made) })
			},
			"client": func(*rapid.T) {
				m := modelMessage{from: core.Addr(number("client", 1, 8)), isKeepAlive: rapid.Bool().Draw(t, "keepalive")}
				m.who = map[bool]api.Principal{true: "ann", false: "bob"}[m.from > 2]
				wire := get(5)
				if m.isKeepAlive {
					wire = keepAlive(5)
				}
				m.size = int64(rapid.OneOf(rapid.IntRange(len(wire), 200), rapid.IntRange(1<<19, api.MaxMessage)).Draw(t, "size"))
				wire = append(wire, large[:m.size-int64(len(wire))]...)
				for range number("times", 1, 20) {
					made++
					m.id = made
					add(m, func() bool { return b.AddClient(m.from, m.who, wire, m.id) })
				}
			},
			"take": func(t *rapid.T) {
				id, ok := b.Next()
				require.Equal(t, len(model.list) > 0, ok)
				if !ok {
					t.Skip("empty")
				}
				model.take(t, id)
				b.Acts()
			},
			"": func(t *rapid.T) {
				_, bytes := model.sum(func(m modelMessage) bool { return m.from != 0 })
				require.Equal(t, len(model.list), b.Len())
				require.LessOrEqual(t, bytes, c.Bytes)
				require.Equal(t, bytes, b.bytes.used)
			},
		})
	})
}
