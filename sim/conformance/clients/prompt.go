package clients

import (
	"time"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// prompt is when the answers that came to a client could be told (L1): at once where its
// lease runs, or there are none; else as soon as jeopardy is over, when what came
// meanwhile is told (C11.18). Instants are of true time.
type prompt struct {
	due   map[call]time.Duration
	waits []call // answered, and it is not known whether the session is alive
}

// call is one, by its session and number.
type call struct {
	session api.SessionID
	seq     api.Seq
}

func newPrompt() prompt { return prompt{due: map[call]time.Duration{}} }

// flows says that a client may tell what it is answered.
func flows(s session.Status) bool {
	return s.State == session.Open && (s.Lease == session.Valid || s.Lease == session.NoLease)
}

// hears takes in the answer to what was asked, which has come to a client that is as s
// says then. One that says less than it should is no answer to who asked.
func (t *prompt) hears(at time.Duration, asked api.Op, p api.Reply, s session.Status) {
	if vague(asked, p) {
		return
	}
	t.waits = append(t.waits, call{p.Session, p.Seq})
	t.look(at, s)
}

// look is told how a client is.
func (t *prompt) look(at time.Duration, s session.Status) {
	if !flows(s) {
		return
	}
	for _, k := range t.waits {
		if _, known := t.due[k]; !known {
			t.due[k] = at
		}
	}
	t.waits = nil
}

// ends is told that a program hears how its call ended.
func (t *prompt) ends(at time.Duration, k call) fault {
	due, answered := t.due[k]
	delete(t.due, k)
	if answered && at > due {
		return faultf("L1", "hears of the end of call %d of session %d only %v after its client could tell", k.seq, k.session, at-due)
	}
	return fault{}
}
