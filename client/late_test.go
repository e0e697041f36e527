package client_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
)

// late is a Runtime on which a thread of control may be paused as soon as its Wait is over.
type late struct{ *client.Goroutines }

type lateKey struct{}

// pausing returns a context whose waits return only when goOn is closed.
func pausing(ctx context.Context, goOn <-chan struct{}) context.Context {
	return context.WithValue(ctx, lateKey{}, goOn)
}

func (l late) Wait(ctx context.Context, signals ...client.Signal) (int, error) {
	i, err := l.Goroutines.Wait(ctx, signals...)
	if goOn, ok := ctx.Value(lateKey{}).(<-chan struct{}); ok {
		<-goOn
	}
	return i, err
}

// lateGuest makes a client on such a Runtime, with an open session that is in jeopardy since messages are lost.
func (w *world) lateGuest(lose func(to uint32, answer bool) bool) *client.Client {
	n := uint64(7) << 40
	var g *client.Goroutines
	g = client.NewRuntime(func(to client.Replica, msg []byte) { w.send(g, to, msg) })
	c := client.New(late{g}, client.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n += 0x9e3779b97f4a7c15; return n }})
	w.others = append(w.others, guest{c, g})
	require.NoError(w.t, c.Ready(w.within(time.Minute)))
	w.fault(lose)
	time.Sleep(30 * time.Second)
	return c
}

// A call whose context ends is given up under its own session: a later session gives the same token out anew.
func TestACallGivesUpNoCallOfALaterSession(t *testing.T) {
	bubble(t, nil, func(w *world) {
		c := w.lateGuest(everything)
		goOn, ended, done := make(chan struct{}), make(chan error, 1), make(chan error, 1)
		go func() { ended <- c.Put(pausing(w.within(time.Second), goOn), "a", "1") }() // is not sent, in jeopardy
		time.Sleep(5 * time.Minute)                                                    // the session expires without a loss
		go func() { done <- c.Put(w.within(time.Hour), "b", "1") }()                   // opens another one
		synctest.Wait()
		close(goOn)
		require.ErrorIs(t, <-ended, context.DeadlineExceeded)
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("the Put of b has ended, and no cell was asked: %v", err)
		default:
		}
		w.fault(nil)
		require.NoError(t, <-done)
		v, err := c.Get(w.within(time.Minute), "b")
		require.NoError(t, err)
		require.Equal(t, "1", v)
	})
}

// Ready returns nil while the session is usable, and not because the one that it waited for was followed by another.
func TestReadyWaitsForTheSessionThatFollows(t *testing.T) {
	bubble(t, nil, func(w *world) {
		c := w.lateGuest(everything)
		goOn, ready, done := make(chan struct{}), make(chan error, 1), make(chan error, 1)
		go func() { ready <- c.Ready(pausing(w.within(time.Hour), goOn)) }()
		time.Sleep(5 * time.Minute)
		go func() { done <- c.Put(w.within(time.Hour), "b", "1") }()
		synctest.Wait()
		close(goOn)
		synctest.Wait()
		select {
		case err := <-ready:
			t.Fatalf("Ready has ended, and no session is open: %v", err)
		default:
		}
		w.fault(nil)
		require.NoError(t, <-ready)
		require.NoError(t, <-done)
	})
}

// Ready does not fail when the lease runs out between the end of its wait and its return.
func TestReadyWaitsForTheEndOfJeopardy(t *testing.T) {
	bubble(t, nil, func(w *world) {
		c := w.lateGuest(onlyAnswers)
		goOn, ready := make(chan struct{}), make(chan error, 1)
		go func() { ready <- c.Ready(pausing(w.within(time.Hour), goOn)) }()
		time.Sleep(time.Second)
		w.fault(nil)
		time.Sleep(5 * time.Second)
		require.NoError(t, c.Ready(w.within(0)), "it is usable")
		w.fault(onlyAnswers)
		time.Sleep(30 * time.Second)
		require.ErrorIs(t, c.Ready(w.within(0)), client.ErrJeopardy)
		close(goOn)
		synctest.Wait()
		w.fault(nil)
		require.NoError(t, <-ready)
	})
}
