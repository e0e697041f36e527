package client_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chubbycell/chubby/client"
)

// world is a client with goroutines, a cell, and a network between them, in a
// bubble of virtual time. Each message takes a millisecond.
type world struct {
	t    *testing.T
	cell *cell
	rt   *client.Goroutines
	c    *client.Client

	mu   sync.Mutex
	lose func(to uint32, answer bool) bool // which messages are lost; nil: none
	sent int

	cancel []context.CancelFunc // of the contexts given out
}

// bubble runs f in a world and sees to it that nothing is left of it.
func bubble(t *testing.T, change func(*client.Config), f func(w *world)) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, cell: newCell()}
		w.rt = client.NewRuntime(w.send)
		var n uint64
		cfg := client.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n += 0x9e3779b97f4a7c15; return n }}
		if change != nil {
			change(&cfg)
		}
		w.c = client.New(w.rt, cfg)
		defer func() {
			for _, cancel := range w.cancel {
				cancel()
			}
		}()
		f(w)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		w.fault(nil)
		require.NoError(t, w.c.Close(ctx))
		w.rt.Close()
		synctest.Wait()
	})
}

func (w *world) fault(lose func(to uint32, answer bool) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lose = lose
}

func (w *world) lost(to uint32, answer bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent++
	return w.lose != nil && w.lose(to, answer)
}

func (w *world) send(to uint32, msg []byte) {
	if w.lost(to, false) {
		return
	}
	time.AfterFunc(time.Millisecond, func() {
		answer := w.cell.handle(to, msg)
		if !w.lost(to, true) {
			time.AfterFunc(time.Millisecond, func() { w.rt.Deliver(to, answer) })
		}
	})
}

// messages counts what was sent, lost or not, both ways.
func (w *world) messages() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

// within is a context that ends after d of virtual time.
func (w *world) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancel = append(w.cancel, cancel)
	return ctx
}

func everything(uint32, bool) bool { return true }

func onlyAnswers(_ uint32, answer bool) bool { return answer }
