package clients

import (
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// news is what a client's events make of its session, for who knows nothing else of
// it: each is news, and says what is so; and what is so is told at the instant at
// which it comes to be (S11).
type news struct {
	life     uint64 // of the client's sessions, which one: a spent one is followed by another
	jeopardy bool
	over     bool
	epoch    api.Epoch // the last fail-over

	was    session.State // at the last look
	ending bool          // the client has asked for the session's end: nothing more is told
	since  time.Duration // from then on what was told is not what is so, in true time; below 0: it is
}

func newNews() news { return news{life: 1, since: -1} }

// follows goes on to the next session, if there is one: the end of the last was told.
func (t *news) follows(a *account) {
	if t.over && t.life < a.life {
		*t = news{life: t.life + 1, since: -1}
	}
}

// event takes in the next event of a client whose account is a.
func (t *news) event(e client.Event, a *account) fault {
	t.follows(a)
	t.since = -1
	switch {
	case t.over:
		return faultf("S11", "tells of %v, and has told that its session is expired", e.Kind)
	case e.Missed > 0:
		return faultf("S11", "has dropped %d events, and each was taken at once", e.Missed)
	case e.Kind == client.EventJeopardy && t.jeopardy, e.Kind == client.EventSafe && !t.jeopardy:
		return faultf("S11", "tells of %v, and its session was so already, as far as it has told", e.Kind)
	case e.Kind == client.EventFailover && e.Epoch <= t.epoch:
		return faultf("S11", "tells of epoch %d, and has told of epoch %d", e.Epoch, t.epoch)
	case e.Kind == client.EventFailover && e.Epoch > a.epoch:
		return faultf("S11", "tells of epoch %d, and no answer has named one above %d", e.Epoch, a.epoch)
	}
	switch e.Kind {
	case client.EventJeopardy:
		t.jeopardy = true
	case client.EventSafe:
		t.jeopardy = false
	case client.EventExpired:
		t.over = true
	case client.EventFailover:
		t.epoch = e.Epoch
	}
	return fault{}
}

// look compares what was told with how the session is, at an instant of true time: a
// difference that was there before it, and since when nothing was told, stays.
func (t *news) look(at time.Duration, s session.Status, a *account) fault {
	t.follows(a)
	was := t.was
	t.was = s.State
	same := true
	switch {
	case t.life != a.life || t.ending:
	case s.State == session.Open:
		same = t.jeopardy == (s.Lease == session.Jeopardy)
	case s.State == session.Over && s.Why == session.Expired:
		same = t.over || was != session.Open && was != session.Over
	}
	switch {
	case same:
		t.since = -1
	case t.since < 0:
		t.since = at
	case t.since < at:
		return faultf("S11", "is %v, lease %v, for %v now, and has told otherwise", s.State, s.Lease, at-t.since)
	}
	return fault{}
}

// answered: a new master answers no call of a session that does not know of it, and so
// its program does.
func (t *news) answered(p api.Reply, a *account) fault {
	if t.life != a.life || p.Session != a.session || p.Seq == 0 || p.Epoch != a.epoch || !p.Code.Definite() ||
		p.Code == api.NoSession || a.unleased || a.since >= p.Epoch || t.epoch >= p.Epoch || t.ending {
		return fault{}
	}
	return faultf("S11", "is answered call %d by the master of epoch %d, and has told of no fail-over after epoch %d", p.Seq, p.Epoch, max(t.epoch, a.since))
}
