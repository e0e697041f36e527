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

	others []guest
	made   int // clients, so far

	mu   sync.Mutex
	lose func(to uint32, answer bool) bool // which messages are lost; nil: none
	off  *client.Goroutines                // the machine that is cut off; nil: none
	sent int

	cancel []context.CancelFunc // of the contexts given out
}

// guest is another client of the cell, on a machine of its own.
type guest struct {
	*client.Client
	rt *client.Goroutines
}

// bubble runs f in a world and fails if goroutines remain afterwards.
func bubble(t *testing.T, change func(*client.Config), f func(w *world)) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, cell: newCell()}
		g := w.guest(change)
		w.others, w.c, w.rt = nil, g.Client, g.rt
		defer func() {
			for _, cancel := range w.cancel {
				cancel()
			}
		}()
		f(w)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		w.fault(nil)
		for _, g := range append(w.others, g) {
			require.NoError(t, g.Close(ctx))
			g.rt.Close()
		}
		synctest.Wait()
	})
}

// guest makes another client.
func (w *world) guest(change func(*client.Config), options ...client.Option) guest {
	w.made++
	n := uint64(w.made) << 32
	cfg := client.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n += 0x9e3779b97f4a7c15; return n }}
	if change != nil {
		change(&cfg)
	}
	g := guest{}
	g.rt = client.NewRuntime(func(to client.Replica, msg []byte) { w.send(g.rt, to, msg) })
	g.Client = client.New(g.rt, cfg, options...)
	w.others = append(w.others, g)
	return g
}

func (w *world) fault(lose func(to uint32, answer bool) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lose = lose
}

// cut disconnects one machine.
func (w *world) cut(rt *client.Goroutines) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.off = rt
}

func (w *world) lost(rt *client.Goroutines, to uint32, answer bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent++
	return w.off == rt || w.lose != nil && w.lose(to, answer)
}

func (w *world) send(rt *client.Goroutines, to client.Replica, msg []byte) {
	if to.Cell != "" || w.lost(rt, to.ID, false) { // there is one cell
		return
	}
	time.AfterFunc(time.Millisecond, func() {
		w.cell.handle(to.ID, msg, func(answer []byte) {
			if !w.lost(rt, to.ID, true) {
				time.AfterFunc(time.Millisecond, func() { rt.Deliver(to, answer) })
			}
		})
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
