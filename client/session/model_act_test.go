package session_test

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

// begin starts a call.
func (w *model) begin(op api.Op) session.Token {
	c := &modelCall{op: op}
	t := session.Token(len(w.calls) + 1)
	w.calls[t] = c
	require.Equal(w.t, t, w.m.Start(w.now, op))
	return t
}

func (w *model) put() {
	kind := rapid.SampledFrom([]string{"put", "put", "put", "huge"}).Draw(w.t, "kind")
	w.begin(api.Put{Key: "k", Value: fmt.Sprintf("%s-%d", kind, len(w.calls)+1)})
}

func (w *model) cancel(t session.Token) {
	if c := w.calls[t]; c != nil {
		c.gaveUp = true
	}
	w.m.Cancel(w.now, t)
}

func (w *model) close() {
	t := session.Token(len(w.calls) + 1)
	w.calls[t] = &modelCall{}
	w.watch.closed = true
	require.Equal(w.t, t, w.m.Close(w.now))
}

func (w *model) takeRequest(i int) {
	e := w.requests[i]
	if p, ok := w.cell.receive(e.To, e.Request); ok {
		w.replies = append(w.replies, answerTo{e.To, p})
	}
}

func (w *model) apply(i int) {
	p, from, answers := w.cell.apply(i)
	if answers {
		w.replies = append(w.replies, answerTo{from, p})
	}
}

func (w *model) unpark() {
	if p, ok := w.cell.unpark(); ok {
		w.replies = append(w.replies, answerTo{w.cell.master, p})
	}
}

// act does one thing.
func (w *model) act() {
	r := scatter(rapid.Uint64Range(0, 1<<30).Draw(w.t, "act"))
	pick := func(n int) int { r = scatter(r + 1); return int(r % uint64(n)) }
	switch what := pick(123); {
	case what < 4:
		w.put()
	case what < 16:
		w.use(pick)
	case what < 20:
		w.calm(pick(5))
	case what < 24:
		if len(w.calls) > 0 {
			w.cancel(session.Token(pick(len(w.calls) + 1)))
		}
	case what < 25:
		if w.closes {
			w.close()
		}
	case what < 26:
		if w.expires {
			w.cell.expire()
		}
	case what < 29:
		w.newTenure()
	case what < 38:
		w.pass(time.Duration(pick(40)) * time.Millisecond)
	case what < 39:
		w.pass(time.Duration(pick(400)) * time.Millisecond)
	case what < 45:
		w.sleep()
	case what < 49:
		w.unpark()
	case what < 52:
		if w.leases {
			w.cell.expire()
		}
	case what < 74:
		if n := len(w.requests); n > 0 {
			i := pick(n)
			w.takeRequest(i)
			if pick(4) > 0 { // else it is duplicated
				w.requests = append(w.requests[:i], w.requests[i+1:]...)
			}
		}
	case what < 94:
		if n := len(w.cell.log); n > 0 {
			w.apply(pick(n))
		}
	case what < 97:
		w.m.OnUnreachable(w.now, uint32(pick(4))) // 0 is no replica
	default:
		if n := len(w.replies); n > 0 {
			i := pick(n)
			a := w.replies[i]
			w.m.Receive(w.now, a.from, a.p)
			if pick(4) > 0 {
				w.replies = append(w.replies[:i], w.replies[i+1:]...)
			}
		}
	}
}

// heal ends all faults and lets all calls end: those of the callers, and those that the machine
// makes in the background.
func (w *model) heal() {
	if w.cell.master == 0 {
		w.cell.epoch++
		w.cell.takeOver(2)
	}
	for round := 0; !w.quiet(); round++ {
		require.Less(w.t, round, 400, "it does not end: %+v", w.m.Status())
		w.releaseAll()
		w.look()
		for len(w.requests)+len(w.cell.log)+len(w.replies) > 0 {
			w.flush()
		}
		w.unpark()
		w.sleep()
		w.look()
	}
}

func (w *model) quiet() bool {
	s := w.m.Status()
	return len(w.ended) == len(w.calls) && s.Flight+s.Queued == 0 && len(w.user.holds) == 0
}

// calm runs some rounds without faults.
func (w *model) calm(rounds int) {
	for range rounds {
		w.flush()
		w.look()
		w.pass(time.Millisecond)
		w.look()
	}
}

// flush delivers all messages in flight, in order.
func (w *model) flush() {
	requests, replies := w.requests, w.replies
	w.requests, w.replies = nil, nil
	for _, a := range replies {
		w.m.Receive(w.now, a.from, a.p)
		w.look()
	}
	rest := w.requests
	w.requests = requests
	for i := range requests {
		w.takeRequest(i)
	}
	w.requests = rest
	for len(w.cell.log) > 0 {
		w.apply(0)
	}
}
