package fairqueue

import (
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// House is whose line has what the master wants for itself. No client is called so.
const House api.Principal = ""

// Limits bound what one principal sends to the log together. Each is at least 1.
type Limits struct {
	Commands int
	Bytes    int // a longer command goes alone
}

// Line holds commands that wait for the log, and counts those that are in it. One
// goroutine owns it. Make it with New.
type Line[T any] struct {
	limits  Limits
	pace    pace
	apart   bool // who has something in the log waits with the rest
	flows   map[api.Principal]*flow[T]
	turns   []*flow[T] // who may send, the next one in front
	spare   []*flow[T] // forgotten, to be used again
	waiting int
	round   uint64 // Takes so far
}

// mostSpare bounds what is kept for principals to come.
const mostSpare = 16

// flow is what a principal has under way.
type flow[T any] struct {
	who   api.Principal
	items []item[T] // that wait
	all   []item[T] // the memory that they began in
	inLog int       // taken, and not Done
	turn  bool      // it stands in turns
	sent  time.Time // when the first of those in the log was taken

	round    uint64 // when it was last given something
	commands int    // and how much then
	bytes    int
}

type item[T any] struct {
	x     T
	bytes int
}

// New returns a Line in which nothing waits.
func New[T any](l Limits) *Line[T] {
	return &Line[T]{limits: l, pace: pace{most: l.Commands, size: 1}, flows: map[api.Principal]*flow[T]{}}
}

// Join puts a command behind the others of its principal.
func (l *Line[T]) Join(who api.Principal, x T, bytes int) {
	f := l.flows[who]
	if f == nil {
		f = l.flow(who)
	}
	f.items = append(f.items, item[T]{x, bytes})
	if len(f.items) == 1 {
		f.all = f.items[:0:1]
	}
	l.waiting++
	l.queue(f)
}

// flow makes the flow of a principal that had nothing under way.
func (l *Line[T]) flow(who api.Principal) *flow[T] {
	f := &flow[T]{}
	if n := len(l.spare); n > 0 {
		f, l.spare = l.spare[n-1], l.spare[:n-1]
	}
	*f = flow[T]{who: who, all: f.all, items: f.all[:0]}
	l.flows[who] = f
	return f
}

// queue gives a flow a turn, behind the others, if it may send.
func (l *Line[T]) queue(f *flow[T]) {
	if !f.turn && l.ready(f) {
		f.turn = true
		l.turns = append(l.turns, f)
	}
}

// ready says that a flow may begin to send.
func (l *Line[T]) ready(f *flow[T]) bool {
	return len(f.items) > 0 && (!l.apart || f.inLog == 0)
}

// goesOn says that a flow may send its first command in this round.
func (l *Line[T]) goesOn(f *flow[T]) bool {
	switch {
	case len(f.items) == 0:
		return false
	case !l.apart || f.who == House:
		return true
	case f.round != l.round:
		return f.inLog == 0
	}
	return f.commands < l.pace.size && f.bytes+f.items[0].bytes <= l.limits.Bytes
}

// Apart says whether principals are to be kept apart: whether there are several.
func (l *Line[T]) Apart(apart bool) {
	if l.apart == apart {
		return
	}
	l.apart = apart
	for _, who := range slices.Sorted(maps.Keys(l.flows)) {
		l.queue(l.flows[who])
	}
}

// Take takes out at most room commands, in turns. Each but the House's is in the log
// from now on, until Done.
func (l *Line[T]) Take(now time.Time, room int) (all []T) {
	if len(l.turns) == 0 || room <= 0 {
		return nil
	}
	l.round++
	for len(all) < room && len(l.turns) > 0 {
		f := l.turns[0]
		l.turns = l.turns[:copy(l.turns, l.turns[1:])]
		f.turn = false
		if l.goesOn(f) {
			all = append(all, l.send(now, f))
		}
		if l.goesOn(f) {
			f.turn = true
			l.turns = append(l.turns, f)
		}
		l.forget(f)
	}
	return all
}

// send takes the first command of a flow.
func (l *Line[T]) send(now time.Time, f *flow[T]) T {
	if f.round != l.round {
		f.round, f.commands, f.bytes = l.round, 0, 0
	}
	i := f.items[0]
	f.items[0] = item[T]{}
	f.items = f.items[1:]
	l.waiting--
	f.commands++
	f.bytes += i.bytes
	if f.who == House {
		return i.x
	}
	if f.inLog == 0 {
		f.sent = now
	}
	f.inLog++
	return i.x
}

// Done tells that a command which was taken is in the log no more: it was applied,
// or the log did not take it.
func (l *Line[T]) Done(now time.Time, who api.Principal) {
	if f := l.flows[who]; f != nil && f.inLog > 0 {
		if f.inLog--; f.inLog == 0 {
			l.pace.took(now.Sub(f.sent))
		}
		l.queue(f)
		l.forget(f)
	}
}

// forget drops a flow that has nothing under way.
func (l *Line[T]) forget(f *flow[T]) {
	if len(f.items) == 0 && f.inLog == 0 {
		delete(l.flows, f.who)
		if len(l.spare) < mostSpare {
			l.spare = append(l.spare, f)
		}
	}
}

// Drop takes out what waits of a principal and fits: it will not be sent. The others
// keep their order.
func (l *Line[T]) Drop(who api.Principal, fits func(T) bool) (all []T) {
	f := l.flows[who]
	if f == nil {
		return nil
	}
	f.items = slices.DeleteFunc(f.items, func(i item[T]) bool {
		if !fits(i.x) {
			return false
		}
		all = append(all, i.x)
		return true
	})
	l.waiting -= len(all)
	if f.turn && len(f.items) == 0 {
		f.turn = false
		l.turns = slices.DeleteFunc(l.turns, func(g *flow[T]) bool { return g == f })
	}
	l.forget(f)
	return all
}

// Of counts what a principal has under way.
func (l *Line[T]) Of(who api.Principal) int {
	f := l.flows[who]
	if f == nil {
		return 0
	}
	return len(f.items) + f.inLog
}

// Waiting counts the commands that wait.
func (l *Line[T]) Waiting() int { return l.waiting }

// Principals counts those that have something under way.
func (l *Line[T]) Principals() int { return len(l.flows) }
