package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/moments"
)

// every is the least true time after which clients are asked again what they believe about their sessions.
const every = 5 * time.Millisecond

// change is a new belief of a client about its session for which the trace has no line.
type change struct {
	after int // the last moment before it was seen
	at    time.Duration
	who   sim.Addr
	text  string
}

// listen takes an event.
func (r *Recorder) listen(now time.Duration, e event.Event) {
	r.log.Listen(now, e)
	r.end = max(r.end, now)
	switch e := e.(type) {
	case event.TenureChanged:
		who := sim.Addr(e.Replica)
		r.bars.end(now, who, isKind(leads, follows, serves))
		switch t := e.Tenure; {
		case t.Mine:
			r.bars.begin(bar{who: who, kind: leads, from: now, by: who, text: fmt.Sprintf("leads at ballot %v", t.Ballot)})
		case t.Leader != 0:
			r.bars.begin(bar{who: who, kind: follows, from: now, by: sim.Addr(t.Leader), text: fmt.Sprintf("follows n%d at ballot %v", t.Leader, t.Ballot)})
		}
	case event.Serves:
		r.bars.begin(bar{who: sim.Addr(e.Replica), kind: serves, from: now, text: fmt.Sprintf("master of epoch %d, at ballot %v", e.Epoch, e.Ballot)})
	case event.LeaseChanged:
		r.lease(now, e)
	case event.LockBelieved:
		r.bars.begin(bar{who: e.Client, kind: locked, from: now, text: lockText(e.Node, e.Mode)})
	case event.LockGivenUp:
		prefix := fmt.Sprintf("the lock of %v,", e.Node)
		if i := r.bars.current(e.Client, func(x *bar) bool { return x.kind == locked && strings.HasPrefix(x.text, prefix) }); i >= 0 {
			r.bars.all[i].to = now
		}
	case event.Left:
		r.ask(now)
	}
}

func lockText(node, mode any) string {
	return fmt.Sprintf("the lock of %v, %v, as the client believes", node, mode)
}

// lease notes a new end of read authority. Read authority that is renewed in time stays one bar.
func (r *Recorder) lease(now time.Duration, e event.LeaseChanged) {
	who := sim.Addr(e.Replica)
	local, until := sim.ReadingOf(e.Local), sim.ReadingOf(e.Until)
	i := r.bars.current(who, isKind(readable))
	switch {
	case e.Until.IsZero() || until <= local:
		r.bars.end(now, who, isKind(readable))
	case i >= 0 && local < r.bars.all[i].until:
		r.bars.all[i].until = max(until, r.bars.all[i].until)
	default:
		r.bars.end(now, who, isKind(readable))
		r.bars.begin(bar{who: who, kind: readable, from: now, until: until, text: "may answer reads alone, by its own clock"})
	}
}

// Write takes whole lines of the trace.
func (r *Recorder) Write(lines []byte) (int, error) {
	first := len(r.log.All)
	n, err := r.log.Write(lines)
	for i := first; i < len(r.log.All); i++ {
		r.sees(&r.log.All[i])
	}
	return n, err
}

// sees takes a moment of the trace.
func (r *Recorder) sees(m *moments.Moment) {
	r.end = max(r.end, m.At)
	switch m.Kind {
	case "receive": // no client is at work now, so each can be asked
		if m.At >= r.asked+every {
			r.ask(m.At)
		}
	case "fault":
		if m.Who != 0 {
			r.struck(m)
		}
	}
}

// struck notes what a fault does to a machine.
func (r *Recorder) struck(m *moments.Moment) {
	switch verb(m.Text) {
	case "crash", "kill", "stop", "exit", "machine-failure":
		if r.bars.current(m.Who, isKind(down)) < 0 {
			r.bars.end(m.At, m.Who, func(*bar) bool { return true })
			delete(r.states, m.Who)
			r.bars.begin(bar{who: m.Who, kind: down, from: m.At, text: "is down"})
		}
	case "start":
		r.bars.end(m.At, m.Who, isKind(down))
	case "pause":
		if r.bars.current(m.Who, isKind(paused)) < 0 {
			r.bars.begin(bar{who: m.Who, kind: paused, from: m.At, text: "is paused"})
		}
	case "resume":
		r.bars.end(m.At, m.Who, isKind(paused))
	}
}

// sessionState is what a client believed about its session when it was last asked: a kind of bar, and words.
type sessionState struct{ kind, text string }

// ask asks every client what it believes about its session.
func (r *Recorder) ask(now time.Duration) {
	r.asked = now
	for _, who := range r.log.Clients {
		said := r.log.Asked(who)
		if said.Dead {
			continue
		}
		m, st := stateOf(said), said.Status
		was, known := r.states[who]
		if known && was == m {
			continue
		}
		r.states[who] = m
		before := r.bars.current(who, isSession)
		r.bars.end(now, who, isSession)
		i := r.bars.begin(bar{who: who, kind: m.kind, from: now, text: m.text})
		if m.kind == jeopardy && !st.Bound.IsZero() { // jeopardy began at the bound; ask sees it later
			r.bars.all[i].since, r.bars.all[i].before = sim.ReadingOf(st.Bound), before
		}
		if !isTold(was.kind, m.kind) {
			r.changes = append(r.changes, change{len(r.log.All) - 1, now, who, m.text})
		}
	}
}

// isTold reports whether a client tells its program of a change between two states of its session. The log then has a
// moment of it (event.SessionTold).
func isTold(was, is string) bool {
	return is == jeopardy || is == expired || is == safe && was == jeopardy
}

// isSession reports whether a bar is a state of a session.
var isSession = isKind(opening, safe, jeopardy, expired, closed)

// stateOf returns what a client believes about its session.
func stateOf(o moments.Opinion) sessionState {
	st := o.Status
	switch {
	case st.State == session.Over && st.Why == session.Closed:
		return sessionState{closed, fmt.Sprintf("session %d is closed", st.Session)}
	case st.State == session.Over:
		return sessionState{expired, fmt.Sprintf("session %d is over (%v)", st.Session, st.Why)}
	case st.Session == 0:
		return sessionState{opening, "has no session yet"}
	case st.Lease == session.Jeopardy:
		return sessionState{jeopardy, fmt.Sprintf("session %d is in jeopardy, epoch %d", st.Session, st.Epoch)}
	case st.Lease == session.Fresh:
		return sessionState{opening, fmt.Sprintf("session %d is fresh, epoch %d", st.Session, st.Epoch)}
	}
	return sessionState{safe, fmt.Sprintf("session %d is safe, epoch %d", st.Session, st.Epoch)}
}
