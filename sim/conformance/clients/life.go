package clients

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// Life watches one life of a client. Whoever stands between it and the network tells of
// each step, by the clock that the client goes by:
//
//  1. what it sends, before that leaves: Sends;
//  2. what it is sent: Hears before the client takes it, Takes after, and Told when it was
//     looked at;
//  3. how it is, whenever it may have moved: Looks;
//  4. what it tells its programs: Event, Ends.
//
// It asks the client nothing and tells it nothing. All is on the world's goroutine, nothing
// blocks.
type Life struct {
	world *sim.World
	self  sim.Addr

	account account
	news    news
	prompt  prompt
	pace    pace
	turns   []*Turns // the oldest handle first
	asked   api.Op   // what the answer is to that is being taken; nil: to no call
	over    bool     // the client has given its session up
}

// New returns the watch of a client on self that has not begun: one that takes clocks to
// err by rho parts per million and waits for grace in jeopardy.
func New(w *sim.World, self sim.Addr, rho int64, grace time.Duration) *Life {
	return &Life{world: w, self: self, account: account{rho: rho, grace: grace}, news: newNews(), prompt: newPrompt()}
}

// Sends is told of a request as it leaves, now. It says whether another session is asked
// for than before.
func (l *Life) Sends(now time.Time, q api.Request) (renewed bool) {
	life := l.account.life
	l.wrong(l.account.sends(now, q))
	l.wrong(l.pace.sends(now, q))
	_, ends := q.Op.(api.EndSession)
	l.news.ending = l.news.ending || ends
	return life > 0 && l.account.life > life
}

// Hears is told of an answer that has come, now, before the client takes it.
func (l *Life) Hears(now time.Time, p api.Reply) {
	l.asked = l.account.hangs.calls[p.Seq].op
	l.account.hears(now, p)
	if l.asked != nil {
		l.account.hangs.at = l.world.Now()
	}
}

// Takes is told how the client was before it took the answer that was last heard, and is
// after it.
func (l *Life) Takes(p api.Reply, before, after session.Status) {
	if l.account.former(p) && ends(before, after) {
		l.wrong(faultf("S9", "takes the answer to call %d of a master of epoch %d, and knows of epoch %d", p.Seq, p.Epoch, before.Epoch))
	}
}

// Told is told of the same answer when the client was looked at.
func (l *Life) Told(p api.Reply, s session.Status) {
	l.wrong(l.news.answered(p, &l.account))
	if l.asked != nil && l.account.hangs.calls[p.Seq].op == nil {
		l.prompt.hears(l.world.Now(), l.asked, p, s)
	}
	l.asked = nil
}

// Looks is told what the client says of itself, now.
func (l *Life) Looks(now time.Time, s session.Status) {
	at := l.world.Now()
	l.wrong(l.believes(now, s))
	l.wrong(l.news.look(at, s, &l.account))
	l.prompt.look(at, s)
	for _, t := range l.turns {
		l.wrong(t.look(at, s))
	}
}

// Event is told of the next event of the client, as soon as it can be had.
func (l *Life) Event(e client.Event) { l.wrong(l.news.event(e, &l.account)) }

// Ends is told that a program hears how its call ended, which left this trail.
func (l *Life) Ends(t *client.CallID) {
	l.wrong(l.prompt.ends(l.world.Now(), call{t.Session, t.Seq}))
}

// Turns are those of the programs that share a handle of the client, until Shut.
func (l *Life) Turns(h *client.Handle) *Turns {
	i := slices.IndexFunc(l.turns, func(t *Turns) bool { return t.handle == h })
	if i < 0 {
		i = len(l.turns)
		l.turns = append(l.turns, &Turns{handle: h, since: -1})
	}
	return l.turns[i]
}

// Shut is told that a handle of the client is about to be closed: nobody has a turn by it.
func (l *Life) Shut(h *client.Handle) {
	l.turns = slices.DeleteFunc(l.turns, func(t *Turns) bool { return t.handle == h })
}

// Session is the client's, 0 before it has one.
func (l *Life) Session() api.SessionID { return l.account.session }

// Over says that the client has given its session up.
func (l *Life) Over() bool { return l.over }

// Handles is how many are open, by what was answered.
func (l *Life) Handles() int { return l.account.hangs.handles }

// Answered is how many calls of the session have their answer.
func (l *Life) Answered() int { return l.account.hangs.ended }

// Last is the number of the last request that was sent.
func (l *Life) Last() uint64 { return l.account.last }

// Extended says which KeepAlive was answered with the lease that counts now, and in which
// epoch; ok is false where that was no new lease but the word how long an old one runs.
func (l *Life) Extended() (by uint64, in api.Epoch, ok bool) {
	return l.account.by, l.account.granted, l.account.lengthened
}

// believes checks what the client says of its session when its clock says now.
func (l *Life) believes(now time.Time, s session.Status) fault {
	a := &l.account
	if s.Bound.After(a.bound) {
		return faultf("S11", "counts on its session for %v longer than it was told that it may", s.Bound.Sub(a.bound))
	}
	if s.Lease == session.Valid {
		a.least = s.Bound.Add(a.grace)
	}
	was := l.over
	l.over = s.State == session.Over && s.Why == session.Expired
	if !l.over || was {
		return fault{}
	}
	if end := a.expires(); !a.gone && now.Before(end) {
		return faultf("S11", "takes its session for expired, and its grace runs for %v more", end.Sub(now))
	}
	return fault{}
}

// ends says that a call has ended between two looks, and the session has not.
func ends(before, after session.Status) bool {
	return after.State == session.Open && after.Session == before.Session && after.Flight+after.Queued < before.Flight+before.Queued
}

// fault is what speaks against the client; "" is nothing.
type fault struct{ id, text string }

func faultf(id, format string, args ...any) fault { return fault{id, fmt.Sprintf(format, args...)} }

func (l *Life) wrong(f fault) {
	if f != (fault{}) {
		l.world.Break(f.id, "the client on %v %s", l.self, f.text)
	}
}
