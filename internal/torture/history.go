package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
)

// clock gives events their order and their time. A stamp that was taken before another one is
// of an event that happened before the other's, since one process takes all of them.
type clock struct {
	begun time.Time
	stamp atomic.Int64
}

func (c *clock) next() int64 { return c.stamp.Add(1) }

// now is the time since the run began, by a clock that never goes back.
func (c *clock) now() int64 { return int64(time.Since(c.begun)) }

// history is what clients asked of one object, and were told.
type history[S, I, O any] struct {
	clock *clock
	model *linearizability.Model[S, I, O]
	name  string // of a file for it
	// changes reports whether a call with this result changed something; out is nil if the
	// result is unknown, and then it may have.
	changes func(in I, out *O) bool

	mu     sync.Mutex
	ops    []linearizability.Operation[I, O]
	trails []trail // of ops
	open   int     // calls that have not ended
}

// trail is the identity of a call. The client writes it while the call is under way, so it is
// read only once the call has ended.
type trail struct {
	written *client.CallID
	id      client.CallID // as it was when the call ended; zero before
}

// historySize is how many calls make a history full: a search stays short.
const historySize = 300

// begin takes down a call, under a context that carries its identity.
func (h *history[S, I, O]) begin(ctx context.Context, in I) (context.Context, int) {
	id := new(client.CallID)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, linearizability.Operation[I, O]{
		ID: int64(len(h.ops) + 1), Call: h.clock.next(), CallTime: h.clock.now(), Concurrent: true, Input: in,
		Return: linearizability.Never, Outcome: linearizability.OutcomeUnknown,
	})
	h.trails = append(h.trails, trail{written: id})
	h.open++
	return client.WithCallID(ctx, id), len(h.ops) - 1
}

// end takes down how a call ended: with a result, or with an error that is none.
func (h *history[S, I, O]) end(who int64, at int, out O, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open--
	h.trails[at].id = *h.trails[at].written
	op := &h.ops[at]
	op.Client = who
	if errors.Is(err, client.ErrOutcomeUnknown) || errors.Is(err, client.ErrWithdrawn) { // it may have held the lock for a while
		return
	}
	op.Return, op.ReturnTime, op.Outcome, op.Output = h.clock.next(), h.clock.now(), linearizability.OutcomeOK, out
	if err != nil {
		op.Outcome = linearizability.OutcomeFailed
	}
}

// isFull reports whether another history should be used.
func (h *history[S, I, O]) isFull() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ops) >= historySize
}

// isAtRest reports whether all calls have ended, so that it is known which of them the log may have.
func (h *history[S, I, O]) isAtRest() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.open == 0
}

// book is a history whatever its object is.
type book interface {
	isAtRest() bool
	// judge decides. seen may be nil: where each call was executed.
	judge(seen *order, b linearizability.Budget) verdict
	// write writes the history to files whose names begin with path, and explains it there.
	write(path string) error
	// outcomes are counted.
	outcomes(add func(o linearizability.Outcome))
	title() string
}

// verdict is what a history was found to be.
type verdict struct {
	broken    string // property; empty: none
	text      string
	undecided bool
	placed    int // calls that were found in the log
}

func (h *history[S, I, O]) title() string { return h.name }

// snapshot is the history as it is now. The identities of calls that have not ended are zero.
func (h *history[S, I, O]) snapshot() ([]linearizability.Operation[I, O], []client.CallID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var ids []client.CallID
	for i := range h.trails {
		ids = append(ids, h.trails[i].id)
	}
	return slices.Clone(h.ops), ids
}

func (h *history[S, I, O]) judge(seen *order, b linearizability.Budget) (v verdict) {
	ops, ids := h.snapshot()
	if seen != nil {
		if v = h.place(ops, ids, seen); v.broken != "" {
			return v
		}
	}
	all, err := linearizability.NewHistory(ops)
	if err != nil {
		return verdict{broken: "history", text: fmt.Sprintf("%s: %v", h.name, err)}
	}
	if seen != nil {
		if w := linearizability.CheckWitness(h.model, all); w.Verdict == linearizability.Illegal {
			v.broken, v.text = "S4", fmt.Sprintf("%s: the order of the log does not explain the answers: %s", h.name, w.Violation.Text)
			return v
		}
	}
	found, err := linearizability.Check(h.model, all, b)
	switch {
	case err != nil:
		v.broken, v.text = "history", fmt.Sprintf("%s: %v", h.name, err)
	case found.Verdict == linearizability.Illegal:
		v.broken, v.text = "S4", fmt.Sprintf("%s: no order of the calls explains the answers", h.name)
		if why, err := linearizability.Explain(h.model, all, b); err == nil && why != nil {
			v.text = fmt.Sprintf("%s: %s", h.name, why.Text)
		}
	case found.Verdict == linearizability.Undecided:
		v.undecided = true
	}
	return v
}

// place gives each change its position in the log.
func (h *history[S, I, O]) place(ops []linearizability.Operation[I, O], ids []client.CallID, seen *order) (v verdict) {
	for i := range ops {
		op := &ops[i]
		e, there := seen.calls[call{ids[i].Session, ids[i].Seq}]
		var out *O
		if op.Outcome == linearizability.OutcomeOK {
			out = &op.Output
		}
		if !h.changes(op.Input, out) {
			continue
		}
		switch {
		case there && e.isDone():
			op.At = e.at
			v.placed++
			if op.Outcome == linearizability.OutcomeFailed {
				return verdict{broken: "S4", text: fmt.Sprintf("%s: operation %d took effect in slot %d, and its client was told that it was not executed", h.name, op.ID, e.at.Slot)}
			}
		case op.Outcome == linearizability.OutcomeOK:
			return verdict{broken: "S3", text: fmt.Sprintf("%s: operation %d, %+v, was acknowledged, and is nowhere in the log", h.name, op.ID, op.Input)}
		}
	}
	return v
}

func (h *history[S, I, O]) write(path string) error {
	ops, _ := h.snapshot()
	all, err := linearizability.NewHistory(ops)
	if err != nil {
		return err
	}
	err = toFile(path+".jsonl", func(w io.Writer) error { return linearizability.WriteJSONL(w, h.model, all) })
	if err != nil {
		return err
	}
	err = toFile(path+".html", func(w io.Writer) error {
		return linearizability.WritePage(w, h.model, all, linearizability.PageOptions{})
	})
	if errors.Is(err, linearizability.ErrPage) {
		return os.Remove(path + ".html") // it cannot be drawn
	}
	return err
}

func toFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

func (h *history[S, I, O]) outcomes(add func(o linearizability.Outcome)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.ops {
		add(h.ops[i].Outcome)
	}
}
