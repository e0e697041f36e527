package session_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

const (
	modelWindow = 4
	modelQueue  = 6
)

// model is a machine, a cell, and a network between them that loses, repeats
// and reorders, with everything that must hold in between.
type model struct {
	t    *rapid.T
	m    *session.Machine
	cell *modelCell
	now  time.Time
	wake time.Time

	requests []session.Envelope
	replies  []answerTo

	values map[session.Token]string // of the calls; closers have none
	sent   map[string]api.Seq       // by value
	ended  map[session.Token]session.Done
	lastID uint64
	burst  map[api.Seq]int // sendings since the clock last moved
	gone   bool            // a call has ended Expired
	ending bool            // an EndSession was sent

	closes, expires bool // whether that may happen in this run
}

type answerTo struct {
	from uint32
	p    api.Reply
}

func newModel(t *rapid.T) *model {
	x := rapid.Uint64().Draw(t, "seed")
	draw := func() uint64 { x++; return scatter(x) }
	m, err := session.New(session.Config{
		Replicas: []uint32{1, 2, 3}, Draw: draw, AnswerWait: 50 * time.Millisecond,
		RetryMin: 5 * time.Millisecond, RetryMax: 200 * time.Millisecond, Window: modelWindow, Queue: modelQueue,
	})
	require.NoError(t, err)
	w := &model{
		t: t, m: m, cell: newModelCell(t), now: time.Unix(0, 0), values: map[session.Token]string{},
		sent: map[string]api.Seq{}, ended: map[session.Token]session.Done{}, burst: map[api.Seq]int{},
	}
	w.cell.waits = w.waits
	w.closes, w.expires = scatter(x)%4 == 0, scatter(x)%4 == 1
	return w
}

// scatter makes an even spread of what rapid draws, which likes small numbers.
func scatter(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// waits says whether somebody waits for the call that was sent as seq.
func (w *model) waits(seq api.Seq) bool {
	for token, value := range w.values {
		if _, over := w.ended[token]; !over && value != "" && w.sent[value] == seq {
			return true
		}
	}
	return false
}

// look takes the machine's output and checks all that can be checked at once.
func (w *model) look() {
	out := w.m.TakeOutput()
	w.wake = out.Wake
	for _, d := range out.Done { // before the sendings: what is over may be seen
		w.end(d)
	}
	launched := map[api.Seq]string{}
	for _, l := range out.Launched {
		require.NotContains(w.t, w.sent, w.values[l.Token], "launched before")
		require.Equal(w.t, w.m.Status().Session, l.Session)
		launched[l.Seq] = w.values[l.Token]
	}
	for _, e := range out.Send {
		w.announced(e, launched)
		w.check(e)
		w.requests = append(w.requests, e)
	}
	s := w.m.Status()
	require.LessOrEqual(w.t, s.Flight, modelWindow)
	require.LessOrEqual(w.t, s.Queued, modelQueue)
	if s.State == session.Over {
		require.Zero(w.t, s.Flight+s.Queued)
		require.True(w.t, w.wake.IsZero())
		for token := range w.values {
			require.Contains(w.t, w.ended, token, "over, and token %d is not", token)
		}
	}
}

// announced checks that each call is launched with its first sending.
func (w *model) announced(e session.Envelope, launched map[api.Seq]string) {
	put, ok := e.Request.Op.(api.Put)
	if _, before := w.sent[put.Value]; ok && !before {
		require.Equal(w.t, put.Value, launched[e.Request.Seq])
	}
}

// check looks at one sending.
func (w *model) check(e session.Envelope) {
	q := e.Request
	require.Equal(w.t, api.OK, q.Check())
	require.Greater(w.t, q.ID, w.lastID, "an id is used once")
	w.lastID = q.ID
	require.False(w.t, w.gone, "sent after the session expired")
	w.burst[q.Seq]++
	require.LessOrEqual(w.t, w.burst[q.Seq], 3, "call %d spins", q.Seq)
	put, ok := q.Op.(api.Put)
	if !ok {
		_, ends := q.Op.(api.EndSession)
		w.ending = w.ending || ends
		return
	}
	require.False(w.t, w.ending, "a call after the session was ended")
	if seq, before := w.sent[put.Value]; before {
		require.Equal(w.t, seq, q.Seq, "a call keeps its name")
	}
	for value, seq := range w.sent {
		require.True(w.t, value == put.Value || seq != q.Seq, "two calls have one name")
	}
	w.sent[put.Value] = q.Seq
	for seq := api.Seq(1); seq <= q.Seen; seq++ {
		require.False(w.t, w.waits(seq), "Seen is %d, and %d is waited for", q.Seen, seq)
	}
}

// end looks at the end of one call.
func (w *model) end(d session.Done) {
	value, known := w.values[d.Token]
	_, twice := w.ended[d.Token]
	require.True(w.t, known && !twice, "token %d", d.Token)
	w.ended[d.Token] = d
	if value == "" { // a closer
		return
	}
	_, sent := w.sent[value]
	switch d.Outcome {
	case session.Executed:
		require.False(w.t, w.gone, "a success after a failure: not a suffix")
		require.Equal(w.t, w.cell.executed[value], d.Result)
	case session.Refused:
		require.True(w.t, !sent || strings.HasPrefix(value, "huge"), "%+v", d)
	case session.Unknown:
		require.True(w.t, sent)
	default:
		w.t.Fatalf("no outcome: %+v", d)
	}
	w.gone = w.gone || d.Why == session.Expired
}

func (w *model) begin(kind string) {
	value := fmt.Sprintf("%s-%d", kind, len(w.values)+1)
	w.values[session.Token(len(w.values)+1)] = value
	token := w.m.Start(w.now, api.Put{Key: "k", Value: value})
	require.Equal(w.t, value, w.values[token])
}

func (w *model) close() {
	w.values[session.Token(len(w.values)+1)] = ""
	require.Contains(w.t, w.values, w.m.Close(w.now))
}

func (w *model) pass(d time.Duration) {
	if d > 0 {
		clear(w.burst)
	}
	w.now = w.now.Add(d)
	w.m.Advance(w.now)
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

// newTenure changes the epoch and perhaps the master. The old master may answer
// NotMaster to what it had proposed.
func (w *model) newTenure() {
	for _, p := range w.cell.log {
		if rapid.Bool().Draw(w.t, "tells") {
			w.replies = append(w.replies, answerTo{p.at, p.q.Answer(w.cell.epoch, api.Result{Code: api.NotMaster})})
		}
	}
	w.cell.epoch++
	w.cell.master = rapid.SampledFrom([]uint32{0, 1, 2, 3}).Draw(w.t, "master")
}

// act does one thing.
func (w *model) act() {
	r := scatter(rapid.Uint64Range(0, 1<<30).Draw(w.t, "act"))
	pick := func(n int) int { r = scatter(r + 1); return int(r % uint64(n)) }
	switch what := pick(100); {
	case what < 12:
		w.begin(rapid.SampledFrom([]string{"put", "put", "put", "huge"}).Draw(w.t, "kind"))
	case what < 16:
		if len(w.values) > 0 {
			w.m.Cancel(w.now, session.Token(pick(len(w.values)+1)))
		}
	case what < 17:
		if w.closes {
			w.close()
		}
	case what < 18:
		if w.expires {
			clear(w.cell.sessions) // all expire
		}
	case what < 21:
		w.newTenure()
	case what < 30:
		w.pass(time.Duration(pick(40)) * time.Millisecond)
	case what < 36:
		if !w.wake.IsZero() {
			w.pass(max(0, w.wake.Sub(w.now)))
		}
	case what < 58:
		if n := len(w.requests); n > 0 {
			i := pick(n)
			w.takeRequest(i)
			if pick(4) > 0 { // else it comes again
				w.requests = append(w.requests[:i], w.requests[i+1:]...)
			}
		}
	case what < 76:
		if n := len(w.cell.log); n > 0 {
			w.apply(pick(n))
		}
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

// heal ends all faults and lets everything come to its end.
func (w *model) heal() {
	if w.cell.master == 0 {
		w.cell.epoch++
		w.cell.master = 2
	}
	for round := 0; len(w.ended) < len(w.values); round++ {
		require.Less(w.t, round, 400, "it does not end: %+v", w.m.Status())
		for len(w.requests)+len(w.cell.log)+len(w.replies) > 0 {
			w.flush()
		}
		if !w.wake.IsZero() {
			w.pass(max(0, w.wake.Sub(w.now)))
			w.look()
		}
	}
}

// flush delivers what is under way, in order.
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

type kindOfEnd struct {
	outcome session.Outcome
	why     session.Why
}

func TestModel(t *testing.T) {
	rapid.Check(t, modelRun(map[kindOfEnd]int{}))
}

// TestModelHasBeenWhereItMatters asks one fixed set of runs which ends of calls
// they reached: a floor under random runs would fail now and then.
func TestModelHasBeenWhereItMatters(t *testing.T) {
	fixed := map[string]string{"rapid.seed": "1", "rapid.checks": "300"}
	for name, value := range fixed {
		was := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		t.Cleanup(func() { _ = flag.Set(name, was) })
	}
	ends := map[kindOfEnd]int{}
	rapid.Check(t, modelRun(ends))
	for _, want := range []kindOfEnd{
		{session.Executed, session.Answered},
		{session.Refused, session.Answered},
		{session.Refused, session.Cancelled},
		{session.Refused, session.Crowded},
		{session.Refused, session.Expired},
		{session.Unknown, session.Cancelled},
		{session.Unknown, session.Expired},
		{session.Unknown, session.Closed},
		{session.Executed, session.Closed},
	} {
		require.NotZero(t, ends[want], "%+v: %v", want, ends)
	}
}

// modelRun is one random run; ends counts how calls ended.
func modelRun(ends map[kindOfEnd]int) func(*rapid.T) {
	return func(t *rapid.T) {
		w := newModel(t)
		for range rapid.IntRange(20, 300).Draw(t, "steps") {
			w.act()
			w.look()
		}
		w.heal()
		for len(w.requests)+len(w.cell.log) > 0 { // every copy that is left
			w.flush()
		}
		require.LessOrEqual(t, len(w.cell.openers), 1)
		for token, d := range w.ended {
			if d.Outcome == session.Refused {
				require.NotContains(t, w.cell.executed, w.values[token], "%+v", d)
			}
			ends[kindOfEnd{d.Outcome, d.Why}]++
		}
	}
}
