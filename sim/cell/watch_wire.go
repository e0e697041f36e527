package cell

import (
	"cmp"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// wire is the Runtime of one client: its machine's line, and a witness of all that the
// client sends and is sent. It compares that with what the client says of its
// session (S11, L1): by its own clock, and by nobody's flags.
type wire struct {
	*line
	account account
	told    news
	prompt  prompt
	turns   []*turns // the oldest handle first
	minds   *clientWatch
	client  *client.Client
	over    bool          // the client has given its session up
	bound   time.Time     // as it last said
	moved   func()        // is told when that moves
	renewed func()        // is told when another session is asked for
	since   uint64        // the first request after healing; 0: none
	kept    time.Duration // when an answer to a later one moved the bound, in true time; 0: never
	keptIn  api.Epoch     // and whose master said so
}

// newWire is the Runtime for a client that will be made with cfg.
func newWire(l *line, cfg client.Config, b *clientWatch) *wire {
	a := account{rho: cmp.Or(cfg.Rho, plainRho), grace: cmp.Or(cfg.Grace, plainGrace)}
	return &wire{line: l, account: a, told: newNews(), prompt: newPrompt(), minds: b}
}

func (w *wire) world() *sim.World { return w.Env().World() }
func (w *wire) self() sim.Addr    { return w.Env().Self() }
func (w *wire) dead() bool        { return w.Env().Dead() }

// mono reads the machine's clock and leaves no mark.
func (w *wire) mono() time.Time { return w.clock().Mono() }

func (w *wire) clock() *sim.Clock { return w.world().Machine(w.self()).Clock() }

// Send is the line's.
func (w *wire) Send(replica uint32, msg []byte) {
	if q, err := api.DecodeRequest(msg); err == nil && !w.dead() {
		life := w.account.life
		w.wrong(w.account.sends(w.mono(), q))
		if life > 0 && w.account.life > life {
			w.renewed()
		}
		w.minds.sends(q)
		_, ends := q.Op.(api.EndSession)
		w.told.ending = w.told.ending || ends
	}
	w.line.Send(replica, msg)
}

// Receive is the line's.
func (w *wire) Receive(f func(from uint32, msg []byte)) {
	w.line.Receive(func(from uint32, msg []byte) {
		p, err := api.DecodeReply(msg)
		asked := w.account.hangs.calls[p.Seq].op
		if err == nil {
			w.account.hears(w.mono(), p)
		}
		if asked != nil {
			w.account.hangs.at = w.world().Now()
		}
		before := w.client.Status().Status
		f(from, msg)
		if after := w.client.Status().Status; err == nil && w.account.former(p) && ends(before, after) {
			w.wrong(faultf("S9", "takes the answer to call %d of a master of epoch %d, and knows of epoch %d", p.Seq, p.Epoch, before.Epoch))
		}
		w.look()
		if err == nil {
			w.wrong(w.told.answered(p, &w.account))
		}
		if asked != nil && w.account.hangs.calls[p.Seq].op == nil {
			w.prompt.hears(w.world().Now(), asked, p, w.client.Status().Status)
		}
	})
}

// ends says that a call has ended between two looks, and the session has not.
func ends(before, after session.Status) bool {
	return after.State == session.Open && after.Session == before.Session && after.Flight+after.Queued < before.Flight+before.Queued
}

// AfterFunc is the line's.
func (w *wire) AfterFunc(d time.Duration, f func()) (stop func()) {
	return w.line.AfterFunc(d, func() {
		f()
		w.look()
	})
}

func (w *wire) wrong(f fault) {
	if f != (fault{}) {
		w.world().Break(f.id, "the client on %v %s", w.self(), f.text)
	}
}

// look asks the client what it believes now.
func (w *wire) look() {
	s := w.client.Status().Status
	w.wrong(w.believes(w.mono(), s))
	w.wrong(w.told.look(w.world().Now(), s, &w.account))
	w.prompt.look(w.world().Now(), s)
	for _, t := range w.turns {
		w.wrong(t.look(w.world().Now(), s))
	}
	if !s.Bound.Equal(w.bound) {
		w.bound = s.Bound
		w.moved()
	}
}

// believes checks what the client says when its clock says now.
func (w *wire) believes(now time.Time, s session.Status) fault {
	a := &w.account
	if s.Bound.After(a.bound) {
		return faultf("S11", "counts on its session for %v longer than it was told that it may", s.Bound.Sub(a.bound))
	}
	if s.Lease == session.Valid {
		a.least = s.Bound.Add(a.grace)
	}
	was := w.over
	w.over = s.State == session.Over && s.Why == session.Expired
	if !w.over || was {
		return fault{}
	}
	if end := later(a.least, a.opened.Add(a.grace)); !a.gone && now.Before(end) {
		return faultf("S11", "takes its session for expired, and its grace runs for %v more", end.Sub(now))
	}
	return fault{}
}

// dial makes a client that is watched, until it is hung up.
func (c *Cell) dial(l *line, cfg client.Config) (cl *client.Client, hangUp func()) {
	w := newWire(l, cfg, c.minds)
	w.moved = func() {
		if c.healed && w.since == 0 {
			w.since = w.account.last + 1
		}
		if w.since > 0 && w.account.by >= w.since && w.account.lengthened {
			w.kept, w.keptIn = c.world.Now(), w.account.granted
		}
		c.promises.clientMoved(w)
	}
	w.renewed = func() { c.load.sessions, c.load.followed = c.load.sessions+1, c.load.followed+1 }
	w.client = client.New(w, cfg)
	c.promises.begins(w)
	events := w.client.Events()
	l.Go("events", func() { w.listens(events) })
	return w.client, events.Close
}
