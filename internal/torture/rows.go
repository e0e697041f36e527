package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
)

type kvHistory = history[linearizability.KVState, linearizability.KVInput, linearizability.KVOutput]

func rowChanges(in linearizability.KVInput, out *linearizability.KVOutput) bool {
	switch in.Op {
	case linearizability.OpPut:
		return true
	case linearizability.OpDelete:
		return out == nil || out.Found
	case linearizability.OpCAS:
		return out == nil || out.OK
	}
	return false
}

// rows are the groups of rows that are used at present, and those of before.
type rows struct {
	run *run
	now *pool[linearizability.KVState, linearizability.KVInput, linearizability.KVOutput]

	mu  sync.Mutex
	old []*kvHistory // in the order in which they were full
}

const (
	groups    = 4
	groupKeys = 3
	maxOld    = 30 // groups that are still read, by far fewer than maxBooks
)

func newRows(r *run) *rows {
	return &rows{run: r, now: newPool(r, "rows", groups, linearizability.KV(), rowChanges)}
}

// pick chooses a group; old: one that is not written any more.
func (w *rows) pick() (h *kvHistory, old bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.old) > 0 && rand.IntN(40) == 0 {
		return w.old[rand.IntN(len(w.old))], true
	}
	h, full := w.now.pick()
	if full != nil {
		if w.old = append(w.old, full); len(w.old) > maxOld {
			w.old = w.old[1:]
		}
	}
	return h, false
}

// work calls until ctx ends.
func (w *rows) work(ctx context.Context, s *session, who int64) {
	last := map[string]string{} // what was read of a row
	for n := 0; ctx.Err() == nil; n++ {
		cl, life, err := s.client(ctx)
		if err != nil {
			continue
		}
		h, old := w.pick()
		in := w.draw(h, old, fmt.Sprintf("%d.%d", who, n), last)
		short, cancel := context.WithTimeout(ctx, patience())
		short, at := h.begin(short, in)
		out, err := doRow(short, cl, in)
		cancel()
		h.end(who, at, out, err)
		if err == nil {
			w.run.count(&w.run.ops.rows)
			if in.Op == linearizability.OpGet && out.Found {
				last[in.Key] = out.Value
			}
			if len(last) > 100 {
				clear(last)
			}
			continue
		}
		s.met(life, err)
		pause(ctx, time.Duration(rand.IntN(20))*time.Millisecond)
	}
}

// patience is how long a call is waited for: most outlast a fail-over, some do not.
func patience() time.Duration {
	return []time.Duration{300 * time.Millisecond, 3 * time.Second, 8 * time.Second}[rand.IntN(3)]
}

func (w *rows) draw(h *kvHistory, old bool, value string, last map[string]string) linearizability.KVInput {
	key := fmt.Sprintf("%s/%d", h.name, rand.IntN(groupKeys))
	if old {
		return linearizability.Get(key)
	}
	switch n := rand.IntN(100); {
	case n < 45:
		return linearizability.Get(key)
	case n < 50:
		return linearizability.List(h.name + "/")
	case n < 75:
		return linearizability.Put(key, value)
	case n < 80:
		return linearizability.Delete(key)
	case n < 85:
		return linearizability.PutIfAbsent(key, value)
	}
	return linearizability.CompareAndSet(key, last[key], value)
}

// doRow makes a call. The error is nil where the answer is one of the model.
func doRow(ctx context.Context, cl *client.Client, in linearizability.KVInput) (out linearizability.KVOutput, err error) {
	var conflict *client.ConflictError
	switch in.Op {
	case linearizability.OpGet:
		out.Value, err = cl.Get(ctx, in.Key)
		out.Found = err == nil
	case linearizability.OpPut:
		err = cl.Put(ctx, in.Key, in.Value)
	case linearizability.OpDelete:
		err = cl.Delete(ctx, in.Key)
		out.Found = err == nil
	case linearizability.OpCAS:
		expect := client.Value(in.Expect)
		if in.Absent {
			expect = client.Absent()
		}
		err = cl.CompareAndSet(ctx, in.Key, expect, in.Value)
		out.OK = err == nil
		if errors.As(err, &conflict) {
			return linearizability.KVOutput{Found: conflict.Found, Value: conflict.Value}, nil
		}
	case linearizability.OpList:
		var pairs []client.Pair
		pairs, err = cl.List(ctx, in.Key)
		for _, p := range pairs {
			out.Pairs = append(out.Pairs, linearizability.KVPair{Key: p.Key, Value: p.Value})
		}
	}
	if errors.Is(err, client.ErrNotFound) && !errors.Is(err, client.ErrOutcomeUnknown) {
		return linearizability.KVOutput{}, nil
	}
	return out, err
}
