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

// model is a machine, its callers, a cell, and a network between them that loses,
// duplicates and reorders; every step is checked
// (model_check_test.go).
type model struct {
	t    *rapid.T
	m    *session.Machine
	cell *modelCell
	wake time.Time

	truth time.Duration    // true time since the beginning
	rates map[uint32]int64 // of the clocks, in ppm; 0 is the client's
	now   time.Time        // by the client's clock

	requests []session.Envelope
	replies  []answerTo

	calls  map[session.Token]*modelCall
	ended  map[session.Token]session.Done
	user   modelUser
	watch  modelChecker
	leases bool // in this run

	closes, expires bool // whether that may happen in this run
}

// modelCall is a call as its caller knows it. Closers have no op.
type modelCall struct {
	op     api.Op
	seq    api.Seq // as which it was last launched; 0: never
	gaveUp bool
}

func (c *modelCall) value() string {
	p, _ := c.op.(api.Put)
	return p.Value
}

type answerTo struct {
	from uint32
	p    api.Reply
}

func newModel(t *rapid.T) *model {
	x := rapid.Uint64().Draw(t, "seed")
	draw := func() uint64 { x++; return scatter(x) }
	w := &model{
		t: t, cell: newModelCell(t), calls: map[session.Token]*modelCall{},
		ended: map[session.Token]session.Done{}, watch: newModelChecker(), user: newModelUser(),
		rates: map[uint32]int64{}, leases: draw()%4 > 0,
	}
	for id := range uint32(4) {
		w.rates[id] = int64(draw()%(2*modelRho+1)) - modelRho
	}
	w.closes, w.expires = draw()%4 == 0, draw()%4 == 1
	m, err := session.New(session.Config{
		Replicas: []uint32{1, 2, 3}, Draw: draw, AnswerWait: 50 * time.Millisecond,
		RetryMin: 5 * time.Millisecond, RetryMax: 200 * time.Millisecond, ParkedRetry: 100 * time.Millisecond,
		Rho: modelRho, Grace: modelGrace, Window: modelWindow, Queue: modelQueue,
	})
	require.NoError(t, err)
	w.m, w.cell.isAwaited, w.cell.leases = m, w.isAwaited, w.leases
	w.cell.clock = func(replica uint32) time.Duration {
		return w.reading(replica) + time.Duration(replica)*time.Hour
	}
	w.tick(0)
	return w
}

// scatter spreads rapid's draws evenly; rapid prefers small numbers.
func scatter(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// reading is the time that a clock has counted since the beginning.
func (w *model) reading(clock uint32) time.Duration {
	return w.truth * time.Duration(1_000_000+w.rates[clock]) / 1_000_000
}

// tick lets true time pass.
func (w *model) tick(d time.Duration) {
	if d > 0 {
		clear(w.watch.burst)
	}
	w.truth += d
	w.now = time.Unix(0, 0).Add(w.reading(0))
}

func (w *model) pass(d time.Duration) {
	w.tick(d)
	w.m.Advance(w.now)
}

// sleep passes the time to the machine's own wake.
func (w *model) sleep() {
	if !w.wake.IsZero() {
		left := max(0, w.wake.Sub(w.now))
		w.pass(left*1_000_000/time.Duration(1_000_000+w.rates[0]) + 1)
	}
}

// isAwaited reports whether a caller waits for the call that was sent as seq.
func (w *model) isAwaited(seq api.Seq) bool {
	for token, c := range w.calls {
		if _, over := w.ended[token]; !over && c.op != nil && c.seq == seq && !w.cell.locks.void[seq] {
			return true
		}
	}
	return false
}

func TestModel(t *testing.T) {
	rapid.Check(t, modelRun(map[string]int{}))
}

// TestModelHasBeenWhereItMatters counts which states a fixed set of runs reaches. Random runs
// would miss a minimum now and then.
func TestModelHasBeenWhereItMatters(t *testing.T) {
	fixed := map[string]string{"rapid.seed": "1", "rapid.checks": "500"}
	for name, value := range fixed {
		was := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		t.Cleanup(func() { _ = flag.Set(name, was) })
	}
	reached := map[string]int{}
	rapid.Check(t, modelRun(reached))
	t.Log(reached)
	for _, want := range []string{
		"executed answered", "refused answered", "refused cancelled", "refused queue full", "refused expired",
		"unknown cancelled", "unknown expired", "unknown closed", "executed closed",
		"event jeopardy", "event safe", "event expired", "event failover",
		"held", "presented", "flushed", "cancel", "relaunched", "withheld", "closed in the background",
	} {
		require.NotZero(t, reached[want], "%s: %v", want, reached)
	}
}

// modelRun is one random run; reached counts what happened.
func modelRun(reached map[string]int) func(*rapid.T) {
	return func(t *rapid.T) {
		w := newModel(t)
		w.watch.reached = reached
		if rapid.IntRange(0, 3).Draw(t, "warm") > 0 {
			for _, path := range modelPaths {
				w.begin(api.Open{Path: path, Rights: api.RightWrite})
			}
			w.look()
			w.calm(4)
		}
		for range rapid.IntRange(20, 400).Draw(t, "steps") {
			w.act()
			w.look()
		}
		w.heal()
		w.checkNoLeftovers()
		for len(w.requests)+len(w.cell.log) > 0 { // every duplicate that is left
			w.flush()
		}
		require.LessOrEqual(t, len(w.cell.openers), 1)
		for token, d := range w.ended {
			if value := w.calls[token].value(); d.Outcome == session.Refused && value != "" {
				require.NotContains(t, w.cell.executed, value, "%+v", d)
			}
			reached[fmt.Sprintf("%v %v", d.Outcome, d.Why)]++
		}
	}
}

func isHuge(value string) bool { return strings.HasPrefix(value, "huge") }
