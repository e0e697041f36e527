package clients

import (
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// account is what a client may believe of its session, worked out by its clock from
// what it sent and was sent, and from nothing that it says itself. It is never less
// than what the client makes of the same messages, which may forget some.
type account struct {
	rho   int64 // parts per million, as the client is configured
	grace time.Duration

	nonce       api.Nonce
	first, last uint64 // sending ids; answers to others are not its own
	session     api.SessionID
	opened      time.Time
	since       api.Epoch // the highest heard of when it was
	life        uint64    // sessions that it asked for
	epoch       api.Epoch // the highest heard of
	beats       map[uint64]time.Time
	bound       time.Time // the session is alive before, if a master keeps its word
	end         time.Time // when the client must have given up, where leases are kept
	granted     api.Epoch // in which the bound was last moved
	by          uint64    // the answer to this KeepAlive did
	lengthened  bool      // it was given a new lease, not told how long the one of before runs
	unleased    bool      // the present master gives no leases
	gone        bool      // the client was told that there is no such session
	least       time.Time // when the client may give up, by what it last said
	hangs       hangs
	notice      owed
}

// sends takes in what the client sends when its clock says now.
func (a *account) sends(now time.Time, q api.Request) fault {
	op := q.Op
	if o, opens := op.(api.OpenSession); opens && a.nonce != o.Nonce {
		if f := a.renews(now); f != (fault{}) {
			return f
		}
		*a = account{rho: a.rho, grace: a.grace, life: a.life + 1, nonce: o.Nonce, first: q.ID, beats: map[uint64]time.Time{}, hangs: newHangs()}
	}
	a.last = max(a.last, q.ID)
	switch late := !now.Before(a.end); {
	case a.gone:
		return faultf("S11", "sends %T, and was told that its session is gone", op)
	case late && a.session != 0 && !a.unleased:
		return faultf("L1", "sends %T, and its grace has been over for %v", op, now.Sub(a.end))
	}
	switch op := op.(type) {
	case api.OpenSession:
	case api.KeepAlive:
		a.beats[q.ID] = now
		if f := a.notice.says(q.ID, q.Epoch, op); f != (fault{}) {
			return f
		}
	case api.EndSession:
	default:
		if !a.unleased && !now.Before(a.bound) {
			return faultf("S11", "sends %T, and its lease may have been over for %v", op, now.Sub(a.bound))
		}
	}
	if _, opens := op.(api.OpenSession); !opens && q.Session != a.session {
		return faultf("S11", "sends %T for session %d, and its own is %d", op, q.Session, a.session)
	}
	return a.hangs.sends(q)
}

// expires is when the client may take its session for expired that it was not told is gone.
func (a *account) expires() time.Time {
	if end := a.opened.Add(a.grace); end.After(a.least) {
		return end
	}
	return a.least
}

// renews: another session follows one that is over, where nobody has lost anything
// by that.
func (a *account) renews(now time.Time) fault {
	over := a.gone || !now.Before(a.expires())
	switch what := a.hangs.what(); {
	case a.nonce == (api.Nonce{}):
	case !over:
		return faultf("S11", "asks for another session, and its own is not over")
	case what != "":
		return faultf("S11", "asks for another session, and with the last one it lost %s", what)
	}
	return fault{}
}

// hears takes in what the client is sent when its clock says now.
func (a *account) hears(now time.Time, p api.Reply) {
	if a.first == 0 || p.ID < a.first || p.ID > a.last {
		return
	}
	a.epoch = max(a.epoch, p.Epoch)
	switch {
	case p.Session == 0 && p.Seq == 0:
		a.hearsOpening(now, p)
	case p.Session != a.session || a.session == 0:
	case p.Code == api.NoSession:
		a.gone = true
	case p.Seq == 0:
		a.hearsBeat(now, p)
	case p.Epoch == a.epoch: // a former master's answer is not taken
		a.hangs.hears(p)
	}
}

// former says that a reply decides a call, and comes from a master of before: it was
// right, but the present one may know of more, and is to be asked (S9).
func (a *account) former(p api.Reply) bool {
	return p.Session == a.session && p.Seq != 0 && p.Epoch < a.epoch && p.Code.Definite() && p.Code != api.NoSession
}

func (a *account) hearsOpening(now time.Time, p api.Reply) {
	switch {
	case a.session != 0:
	case p.Code == api.OK && p.Result.Session != 0:
		a.session, a.since, a.opened, a.end = p.Result.Session, a.epoch, now, now.Add(a.grace)
	case p.Code == api.NoSession, p.Code == api.Stale:
		a.gone = true
	}
}

func (a *account) hearsBeat(now time.Time, p api.Reply) {
	if p.Code == api.Invalid && p.Epoch == a.epoch {
		a.unleased = true
	}
	l, leased := p.Detail.(api.Leased)
	if leased && l.Failover && p.Epoch == a.epoch {
		a.notice.told(p.Epoch, &a.hangs)
	}
	at, known := a.beats[p.ID]
	if p.Code == api.OK && leased {
		a.notice.hears(p.ID, p.Epoch)
	}
	if p.Code != api.OK || !leased || !known || !a.unleased && !now.Before(a.end) {
		return
	}
	if to := at.Add(a.term(min(l.Lease, api.MaxLease))); to.After(a.bound) {
		a.bound, a.granted, a.by, a.lengthened = to, p.Epoch, p.ID, !l.Failover
	}
	if now.Before(a.bound) { // else it came too late: the grace that runs is not begun anew (C11.17)
		a.unleased, a.end = false, a.bound.Add(a.grace)
	}
}

// term is for how long a client may count on a lease of d: d(1-rho)/(1+rho) (C11.23).
func (a *account) term(d time.Duration) time.Duration {
	return d * time.Duration(1_000_000-a.rho) / time.Duration(1_000_000+a.rho)
}
