package master

import (
	"cmp"
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// key is what all copies of one request have in common: session and Seq, or the
// nonce of one that opens a session, and who sent it: a nonce that somebody else
// uses is another one, or he would be told, and not its owner.
type key struct {
	session api.SessionID
	seq     api.Seq
	nonce   api.Nonce
	who     api.Principal // with a nonce only
}

func keyOf(who api.Principal, session api.SessionID, seq api.Seq, op api.Op) key {
	k := key{session: session, seq: seq}
	if open, ok := op.(api.OpenSession); ok {
		k.nonce, k.who = open.Nonce, who
	}
	return k
}

func (k key) compare(l key) int {
	return cmp.Or(cmp.Compare(k.session, l.session), cmp.Compare(k.seq, l.seq),
		cmp.Compare(k.nonce[0], l.nonce[0]), cmp.Compare(k.nonce[1], l.nonce[1]), cmp.Compare(k.who, l.who))
}

// pending is where the answer goes: to the copy of a request that came last.
type pending struct {
	to      Addr
	id      uint64
	session api.SessionID
	seq     api.Seq
}

func waiter(from Addr, q api.Request) pending {
	return pending{to: from, id: q.ID, session: q.Session, seq: q.Seq}
}

// takeAll empties the pending requests, in the order of their keys.
func (m *Master) takeAll() []pending {
	maps.Copy(m.pending, m.asked)
	keys := slices.SortedFunc(maps.Keys(m.pending), key.compare)
	all := make([]pending, len(keys))
	for i, k := range keys {
		all[i] = m.pending[k]
	}
	clear(m.pending)
	clear(m.asked)
	return all
}
