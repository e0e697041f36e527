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
func (d *Desk) put(w *call, deed command.Deed) {
	w.state = proposed
	d.shelf(w.Session).calls[w.Seq] = w
	d.underWay++
	d.count.Proposed++
	if w.trial {
		d.trials[w.handle.ID]++
	}
	if w.frees {
		d.releases[w.handle.ID]++
	}
	if w.opens {
		d.opening++
		d.openings[w.path]++
		d.shelf(w.Session).opening++
	}
	d.propose(d.act(w.Call, deed))
}

func (d *Desk) act(c Call, deed command.Deed) command.Act {
	return command.Act{Guard: d.epoch, Session: c.Session, Seq: c.Seq, Seen: c.Seen, Deed: deed}
}

// wait keeps a call that is not proposed.
func (d *Desk) wait(w *call, s state) {
	w.state = s
	d.shelf(w.Session).calls[w.Seq] = w
}

// drop takes a call away that is under way, and what was kept free for it.
func (d *Desk) drop(w *call) {
	sh := d.shelf(w.Session)
	delete(sh.calls, w.Seq)
	if w.state != proposed {
		return
	}
	d.underWay--
	if w.trial {
		w.trial = false
		decrement(d.trials, w.handle.ID)
	}
	if w.frees {
		decrement(d.releases, w.handle.ID)
	}
	if w.opens {
		w.opens = false
		d.opening--
		sh.opening--
		decrement(d.openings, w.path)
		d.doubted.add(w.path)
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
func (d *Desk) take(s api.SessionID, seq api.Seq) *call {
	sh, ok := d.shelves[s]
	if !ok || sh.calls[seq] == nil || sh.calls[seq].state != proposed {
		return nil
	}
	w := sh.calls[seq]
	d.drop(w)
	return w
}
