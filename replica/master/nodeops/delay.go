package nodeops

import (
	"cmp"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// delay names a lock-delay: the lock, and the command that freed it.
type delay struct {
	lock  api.Ref
	freed api.Number
}

func (x delay) compare(y delay) int {
	return cmp.Or(x.lock.Compare(y.lock), cmp.Compare(x.freed, y.freed))
}

// delays holds the lock-delays whose end is not proposed yet. They run by the master's clock, in full
// from when the master learnt of them, so none is too short. There may be as many as sessions: all clients
// with locks may be lost at once.
type delays struct {
	all []timer // the first to end in front
	end map[delay]time.Time
}

type timer struct {
	delay
	end time.Time
}

func (x timer) compare(y timer) int { return cmp.Or(x.end.Compare(y.end), x.delay.compare(y.delay)) }

// begin notes that a delay runs until end. It must not run already.
func (ds *delays) begin(x delay, end time.Time) {
	t := timer{x, end}
	i, _ := slices.BinarySearchFunc(ds.all, t, timer.compare)
	ds.all = slices.Insert(ds.all, i, t)
	if ds.end == nil {
		ds.end = map[delay]time.Time{}
	}
	ds.end[x] = end
}

// ended notes that a delay has ended in the rows. Usually its end was proposed, and it is not here any more.
func (ds *delays) ended(x delay) {
	end, runs := ds.end[x]
	if !runs {
		return
	}
	i, _ := slices.BinarySearchFunc(ds.all, timer{x, end}, timer.compare)
	ds.all = slices.Delete(ds.all, i, i+1)
	delete(ds.end, x)
}

// due removes and returns the delays that are over.
func (ds *delays) due(now time.Time) []timer {
	n := 0
	for n < len(ds.all) && !now.Before(ds.all[n].end) {
		delete(ds.end, ds.all[n].delay)
		n++
	}
	over := slices.Clone(ds.all[:n])
	clear(ds.all[:n])
	ds.all = ds.all[n:] // the others stay where they are
	return over
}

func (o *Ops) endDelays(now time.Time) {
	for _, t := range o.delays.due(now) {
		o.propose(command.DelayOver{Guard: o.epoch, Node: t.lock, Freed: t.freed})
	}
}
