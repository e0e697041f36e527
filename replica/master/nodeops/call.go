package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/command"
)

// state is where a call is that is under way.
type state uint8

const (
	proposed state = 1 + iota // its command is, and was not applied yet
	parked                    // an Acquire that waits for its lock
	held                      // an Open that waits for a sweep of its path
)

// call is a call under way.
type call struct {
	Call
	state  state
	handle handle.Handle // of an Acquire, or a Release
	queued bool          // an Acquire that has a place in the queue, parked or tried
	trial  bool          // an Acquire that is proposed as such
	frees  bool          // a Release that is proposed
	opens  bool          // an Open that is proposed as such
	path   api.Path      // of an Open that is proposed or held
}

// put proposes what is to be done for a call.
func (o *Ops) put(w *call, deed command.Deed) {
	w.state = proposed
	o.shelf(w.Session).calls[w.Seq] = w
	o.underWay++
	o.count.Proposed++
	if w.trial {
		o.trials[w.handle.ID]++
	}
	if w.frees {
		o.releases[w.handle.ID]++
	}
	if w.opens {
		o.opening++
		o.openings[w.path]++
		o.shelf(w.Session).opening++
	}
	o.propose(o.act(w.Call, deed))
}

func (o *Ops) act(c Call, deed command.Deed) command.Act {
	return command.Act{Guard: o.epoch, Session: c.Session, Seq: c.Seq, Seen: c.Seen, Deed: deed}
}

// wait keeps a call that is not proposed.
func (o *Ops) wait(w *call, s state) {
	w.state = s
	o.shelf(w.Session).calls[w.Seq] = w
}

// drop takes a call away that is under way, and what was kept free for it.
func (o *Ops) drop(w *call) {
	sh := o.shelf(w.Session)
	delete(sh.calls, w.Seq)
	if w.state != proposed {
		return
	}
	o.underWay--
	if w.trial {
		w.trial = false
		decrement(o.trials, w.handle.ID)
	}
	if w.frees {
		decrement(o.releases, w.handle.ID)
	}
	if w.opens {
		w.opens = false
		o.opening--
		sh.opening--
		decrement(o.openings, w.path)
		o.doubted.add(w.path)
	}
}

func decrement[K comparable](counts map[K]int, k K) {
	counts[k]--
	if counts[k] == 0 {
		delete(counts, k)
	}
}

// take takes a call away whose command was applied, or not taken by the log; nil
// if it is not under way any more.
func (o *Ops) take(s api.SessionID, seq api.Seq) *call {
	sh, ok := o.shelves[s]
	if !ok || sh.calls[seq] == nil || sh.calls[seq].state != proposed {
		return nil
	}
	w := sh.calls[seq]
	o.drop(w)
	return w
}
