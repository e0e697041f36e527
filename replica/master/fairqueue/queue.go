package fairqueue

import (
	"maps"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// System is the principal of the queue in which the master's own commands wait. No client has this
// name.
const System api.Principal = ""

// Limits bound what one principal sends to the log together. Each is at least 1.
type Limits struct {
	Commands int
	Bytes    int // a longer command goes alone
}

// Queue holds commands that wait for the log, and counts the commands that it has given to the log
// and that are not Done. One goroutine owns it. Make it with New.
type Queue[T any] struct {
	limits  Limits
	pace    pace
	apart   bool // the rule "apart" of the package comment holds
	flows   map[api.Principal]*flow[T]
	turns   []*flow[T] // the principals that may send, the next one in front
	spare   []*flow[T] // flows without a principal, to be used again
	waiting int
	round   uint64 // calls of Take so far
}

// mostSpare bounds the flows that are kept for later principals.
const mostSpare = 16

// flow is what a principal has under way.
type flow[T any] struct {
	who   api.Principal
	items []item[T] // that wait
	all   []item[T] // the start of the memory of items, to be used again
	inLog int       // commands taken, and not Done
	turn  bool      // it stands in turns
	sent  time.Time // when the first of the commands in the log was taken

	round    uint64 // the last Take in which it sent
	commands int    // that it sent in that Take
	bytes    int    // of those commands
}

type item[T any] struct {
	x     T
	bytes int
}

// New returns a Queue in which nothing waits.
func New[T any](l Limits) *Queue[T] {
	return &Queue[T]{limits: l, pace: pace{most: l.Commands, size: 1}, flows: map[api.Principal]*flow[T]{}}
}

// Join puts a command behind the others of its principal.
func (q *Queue[T]) Join(who api.Principal, x T, bytes int) {
	f := q.flows[who]
	if f == nil {
		f = q.flow(who)
	}
	f.items = append(f.items, item[T]{x, bytes})
	if len(f.items) == 1 {
		f.all = f.items[:0:1]
	}
	q.waiting++
	q.enqueue(f)
}

// flow makes the flow of a principal that had nothing under way.
func (q *Queue[T]) flow(who api.Principal) *flow[T] {
	f := &flow[T]{}
	if n := len(q.spare); n > 0 {
		f, q.spare = q.spare[n-1], q.spare[:n-1]
	}
	*f = flow[T]{who: who, all: f.all, items: f.all[:0]}
	q.flows[who] = f
	return f
}

// enqueue gives a flow a turn, behind the others, if it may send.
func (q *Queue[T]) enqueue(f *flow[T]) {
	if !f.turn && q.canStart(f) {
		f.turn = true
		q.turns = append(q.turns, f)
	}
}

// canStart reports whether a flow may begin to send in the next Take.
func (q *Queue[T]) canStart(f *flow[T]) bool {
	return len(f.items) > 0 && (!q.apart || f.inLog == 0)
}

// canContinue reports whether a flow may send its next command in this Take.
func (q *Queue[T]) canContinue(f *flow[T]) bool {
	switch {
	case len(f.items) == 0:
		return false
	case !q.apart || f.who == System:
		return true
	case f.round != q.round:
		return f.inLog == 0
	}
	return f.commands < q.pace.size && f.bytes+f.items[0].bytes <= q.limits.Bytes
}

// SetApart says whether principals are kept apart, see the package comment. They need not be if
// there is only one.
func (q *Queue[T]) SetApart(apart bool) {
	if q.apart == apart {
		return
	}
	q.apart = apart
	for _, who := range slices.Sorted(maps.Keys(q.flows)) {
		q.enqueue(q.flows[who])
	}
}

// Take takes out at most room commands, in turns. Each of them counts as in the log until Done,
// except those of System.
func (q *Queue[T]) Take(now time.Time, room int) (all []T) {
	if len(q.turns) == 0 || room <= 0 {
		return nil
	}
	q.round++
	for len(all) < room && len(q.turns) > 0 {
		f := q.turns[0]
		q.turns = q.turns[:copy(q.turns, q.turns[1:])]
		f.turn = false
		if q.canContinue(f) {
			all = append(all, q.send(now, f))
		}
		if q.canContinue(f) {
			f.turn = true
			q.turns = append(q.turns, f)
		}
		q.forget(f)
	}
	return all
}

// send takes the first command of a flow.
func (q *Queue[T]) send(now time.Time, f *flow[T]) T {
	if f.round != q.round {
		f.round, f.commands, f.bytes = q.round, 0, 0
	}
	i := f.items[0]
	f.items[0] = item[T]{}
	f.items = f.items[1:]
	q.waiting--
	f.commands++
	f.bytes += i.bytes
	if f.who == System {
		return i.x
	}
	if f.inLog == 0 {
		f.sent = now
	}
	f.inLog++
	return i.x
}

// Done notes that a command of who which was taken is no longer in the log: it was applied, or the
// log did not take it. Call it once for each command that was taken, except those of System.
func (q *Queue[T]) Done(now time.Time, who api.Principal) {
	if f := q.flows[who]; f != nil && f.inLog > 0 {
		if f.inLog--; f.inLog == 0 {
			q.pace.took(now.Sub(f.sent))
		}
		q.enqueue(f)
		q.forget(f)
	}
}

// forget drops a flow that has nothing under way.
func (q *Queue[T]) forget(f *flow[T]) {
	if len(f.items) == 0 && f.inLog == 0 {
		delete(q.flows, f.who)
		if len(q.spare) < mostSpare {
			q.spare = append(q.spare, f)
		}
	}
}

// Drop removes and returns the waiting commands of a principal for which fits returns true. The
// others keep their order.
func (q *Queue[T]) Drop(who api.Principal, fits func(T) bool) (all []T) {
	f := q.flows[who]
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
	q.waiting -= len(all)
	if f.turn && len(f.items) == 0 {
		f.turn = false
		q.turns = slices.DeleteFunc(q.turns, func(g *flow[T]) bool { return g == f })
	}
	q.forget(f)
	return all
}

// Of counts the commands that a principal has under way, waiting and in the log.
func (q *Queue[T]) Of(who api.Principal) int {
	f := q.flows[who]
	if f == nil {
		return 0
	}
	return len(f.items) + f.inLog
}

// Waiting counts the commands that wait.
func (q *Queue[T]) Waiting() int { return q.waiting }

// Principals counts the principals that have something under way.
func (q *Queue[T]) Principals() int { return len(q.flows) }
