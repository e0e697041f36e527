package client

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"time"
)

// Goroutines is the Runtime of ordinary programs: goroutines, channels, the
// machine's monotonic clock. All methods are safe for concurrent use.
//
// Its transport is a function that sends and a call of Deliver for each message
// that comes in; what lies between is the transport's.
type Goroutines struct {
	send func(to uint32, msg []byte)
	wg   sync.WaitGroup // what Go started

	mu      sync.Mutex
	handler func(from uint32, msg []byte)
	closed  bool
}

var _ Runtime = (*Goroutines)(nil)

// NewRuntime returns a Runtime that sends by send. send must not wait, and may
// lose what it is given; it owns msg from then on. It is called by many
// goroutines at once.
func NewRuntime(send func(to uint32, msg []byte)) *Goroutines { return &Goroutines{send: send} }

// Entropy gives 64 bits from the system's cryptographic source: the Draw of an
// ordinary program's Config.
func Entropy() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	return binary.LittleEndian.Uint64(b[:])
}

// Deliver hands in a message from a replica. It returns when it is dealt with;
// msg is the caller's again then. A message for which no handler is registered
// is lost.
func (g *Goroutines) Deliver(from uint32, msg []byte) {
	g.mu.Lock()
	f := g.handler
	if g.closed {
		f = nil
	}
	g.mu.Unlock()
	if f != nil {
		f(from, msg)
	}
}

// Close stops sending and delivering, and waits for everything that Go started
// to return. Close the Client first, so that its calls end.
func (g *Goroutines) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
}

// Now implements Runtime.
func (g *Goroutines) Now() time.Time { return time.Now() }

// Send implements Runtime.
func (g *Goroutines) Send(to uint32, msg []byte) {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if !closed {
		g.send(to, msg)
	}
}

// Receive implements Runtime.
func (g *Goroutines) Receive(f func(from uint32, msg []byte)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.handler = f
}

// AfterFunc implements Runtime: f runs in a goroutine of its own.
func (g *Goroutines) AfterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// Go implements Runtime. It must not be called after Close has begun.
func (g *Goroutines) Go(_ string, f func()) { g.wg.Go(f) }

// Sleep implements Runtime.
func (g *Goroutines) Sleep(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// NewSignal implements Runtime.
func (g *Goroutines) NewSignal() Signal { return &signal{} }

// Wait implements Runtime.
func (g *Goroutines) Wait(ctx context.Context, signals ...Signal) (int, error) {
	wakened := make(chan struct{}, 1)
	own := make([]*signal, len(signals))
	for i, s := range signals {
		o, ok := s.(*signal)
		if !ok {
			panic(fmt.Sprintf("client: Wait for a %T, which another Runtime made", s))
		}
		own[i] = o
		o.watch(wakened)
	}
	defer func() {
		for _, s := range own {
			s.forget(wakened)
		}
	}()
	if i := firstFired(own); i >= 0 {
		return i, nil
	}
	select {
	case <-wakened:
	case <-ctx.Done():
	}
	if i := firstFired(own); i >= 0 {
		return i, nil
	}
	return -1, context.Cause(ctx)
}
