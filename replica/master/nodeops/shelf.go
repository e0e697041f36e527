package nodeops

import (
	"maps"
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// shelf is what the Ops remembers of one session.
type shelf struct {
	seen    api.Seq                // the client waits for no call up to this one
	calls   map[api.Seq]*call      // under way
	told    map[api.Seq]api.Result // answers that stand in no row and hold for all copies
	opening int                    // Opens that are proposed
	logged  []api.Seq              // calls that are not for the Ops and are under way to the log
}

func (o *Ops) shelf(s api.SessionID) *shelf {
	sh, ok := o.shelves[s]
	if !ok {
		sh = &shelf{calls: map[api.Seq]*call{}, told: map[api.Seq]api.Result{}}
		o.shelves[s] = sh
	}
	return sh
}

// Seen tells that the client of a session waits for no call up to this one: it said
// so in a request that is not for the Ops.
func (o *Ops) Seen(at At, s api.SessionID, seen api.Seq) {
	o.see(s, seen)
	o.follow(at)
}

func (o *Ops) see(s api.SessionID, seen api.Seq) {
	sh := o.shelf(s)
	if seen <= sh.seen {
		return
	}
	sh.seen = seen
	o.forget(sh)
	for _, w := range sh.pending() {
		if w.Seq <= seen && w.state != proposed {
			o.unqueue(w)
			o.drop(w)
			o.reply(s, w.Seq, api.Result{Code: api.Stale})
		}
	}
}

// SeenBy is the call up to which the client of a session waits for none, as far as it
// has said so.
func (o *Ops) SeenBy(s api.SessionID) api.Seq {
	if sh, ok := o.shelves[s]; ok {
		return sh.seen
	}
	return 0
}

// Entered tells of a call under way to the log that is not for the Ops.
func (o *Ops) Entered(s api.SessionID, seq api.Seq) {
	sh := o.shelf(s)
	sh.logged = append(sh.logged, seq)
}

// Left tells that it is not any more.
func (o *Ops) Left(s api.SessionID, seq api.Seq) {
	if sh, ok := o.shelves[s]; ok {
		sh.logged = slices.DeleteFunc(sh.logged, func(have api.Seq) bool { return have == seq })
	}
}

// Logged counts the calls that Entered has told of and Left has not.
func (o *Ops) Logged() (n int) {
	for _, sh := range o.shelves { // order-free: a sum
		n += len(sh.logged)
	}
	return n
}

// Settled says that no call of a session up to this one is under way to the log. Then
// what the rows say behind them is final: a copy that comes later is Stale.
func (o *Ops) Settled(s api.SessionID, upTo api.Seq) bool {
	sh, ok := o.shelves[s]
	if !ok {
		return true
	}
	for seq, w := range sh.calls { // order-free: any counts
		if seq <= upTo && w.state == proposed {
			return false
		}
	}
	return !slices.ContainsFunc(sh.logged, func(seq api.Seq) bool { return seq <= upTo })
}

// alone says that a call can be decided here and now. Its client may have given up
// others that are under way: its answer must not come before theirs.
func (o *Ops) alone(at At, c Call) bool { return at.Authority && o.Settled(c.Session, c.Seen) }

// forget drops answers that nobody asks for any more: copies of their calls are
// Stale from now on.
func (o *Ops) forget(sh *shelf) {
	for seq := range sh.told { // order-free: takes away what is too old
		if seq <= sh.seen {
			delete(sh.told, seq)
		}
	}
}

// tell answers a call for good. A copy of it is told the same: it must not be
// judged again, for by now it may be executed, and its client believes otherwise.
func (o *Ops) tell(c Call, r api.Result) {
	if sh := o.shelf(c.Session); r.Code.Definite() && c.Seq > sh.seen {
		sh.told[c.Seq] = r
	}
	o.reply(c.Session, c.Seq, r)
}

// sessions are those that the Ops remembers, in order.
func (o *Ops) sessions() []api.SessionID { return slices.Sorted(maps.Keys(o.shelves)) }

// pending are the calls of a session that are under way, in order.
func (sh *shelf) pending() (all []*call) {
	if len(sh.calls) == 0 {
		return nil // of most clients that have calls executed
	}
	for _, seq := range slices.Sorted(maps.Keys(sh.calls)) {
		all = append(all, sh.calls[seq])
	}
	return all
}

// sessionEnded forgets a session. Its calls that are proposed stand in the log
// behind its end, and will be refused there.
func (o *Ops) sessionEnded(s api.SessionID) {
	sh := o.shelf(s)
	for _, w := range sh.pending() {
		o.unqueue(w)
		o.drop(w)
		o.reply(s, w.Seq, api.Result{Code: api.NoSession})
	}
	for _, closing := range o.table.EndSession(s) {
		o.closed(closing)
	}
	for owner := range o.failing { // order-free: takes away all of the session's
		if owner.Session == s {
			delete(o.failing, owner)
		}
	}
	delete(o.shelves, s)
}
