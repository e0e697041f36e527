package driver

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
)

// byteBound counts the bytes of messages of clients that wait, and decides whether there is room for more.
type byteBound struct {
	most   int64
	used   int64
	of     map[core.Addr]int64     // those of each client that has some
	shares map[api.Principal]int64 // those of all clients of a principal that has some
}

func newByteBound(most int64) byteBound {
	return byteBound{most: most, of: map[core.Addr]int64{}, shares: map[api.Principal]int64{}}
}

// hasRoom reports whether there is room for size more bytes of a client, and if so, whether as much is left for others
// as the client then has, and a part of what its principal has. turns.add has the same rule for numbers of messages.
func (b *byteBound) hasRoom(from core.Addr, who api.Principal, size int64) bool {
	room := b.most - b.used
	return b.of[from]+size <= room && b.shares[who] <= mostOfRoom*(room-size)
}

// count notes that size more bytes of a client wait, or, if size is negative, that so many fewer do.
func (b *byteBound) count(from core.Addr, who api.Principal, size int64) {
	b.used += size
	if b.of[from] += size; b.of[from] == 0 {
		delete(b.of, from)
	}
	if b.shares[who] += size; b.shares[who] == 0 {
		delete(b.shares, who)
	}
}
