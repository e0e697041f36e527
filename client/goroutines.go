package client

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/chubbycell/chubby/internal/boottime"
)

// Goroutines is the Runtime of ordinary programs: goroutines, channels, and a clock that on Linux
// continues while the machine is suspended. All methods are safe for concurrent use.
//
// The timers of the system stand still during a suspension. So AfterFunc and Sleep wait for a second at
// most before they read the clock again, and what fell due during a suspension comes at most about a
// second after the program resumes: EventJeopardy and the end of a Lock.HeldContext too. Lock.Held is
// false at once if the lease is over. The price is that an idle Client wakes once a second for each
// cell. The contexts of WithTimeout and WithDeadline are those of package context: they end late by
// the length of a suspension.
//
// On systems other than Linux the clock may stand still too: after a suspension a Client then relies on
// its lease for too long.
//
// The program supplies the transport: a function that sends, given to NewRuntime, and a call of
// Deliver for each message received. It may call ReportUnreachable too.
type Goroutines struct {
	send func(to Replica, msg []byte)
	now  func() time.Time
	wg   sync.WaitGroup // the functions started by Go

	mu          sync.Mutex
	handler     func(from Replica, msg []byte)
	unreachable func(replica Replica)
	closed      bool
}

var _ Runtime = (*Goroutines)(nil)

// NewRuntime returns a Runtime that sends messages with send. send must not block and may drop
// messages. It owns msg, also after it has returned. Many goroutines call it concurrently.
func NewRuntime(send func(to Replica, msg []byte)) *Goroutines {
	return &Goroutines{send: send, now: boottime.Now}
}

// Entropy returns 64 bits from the system's cryptographic random source. It is the Config.Draw
// of ordinary programs.
func Entropy() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // cannot fail: crypto/rand ends the program instead
	return binary.LittleEndian.Uint64(b[:])
}

// Deliver passes a message from a replica to the Client. It returns when the message has been
// handled, and does not keep msg. A message is dropped if no Client is registered or the
// Runtime is closed.
func (g *Goroutines) Deliver(from Replica, msg []byte) {
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

// ReportUnreachable tells the Client that a replica gets no messages now (Runtime.OnUnreachable).
// It returns when the Client has recorded the hint. It does nothing if no Client is registered or
// the Runtime is closed.
func (g *Goroutines) ReportUnreachable(replica Replica) {
	g.mu.Lock()
	f := g.unreachable
	if g.closed {
		f = nil
	}
	g.mu.Unlock()
	if f != nil {
		f(replica)
	}
}

// Close stops sending and delivering, and blocks until all functions started by Go have
// returned. Close the Client first, so that its calls end.
func (g *Goroutines) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
}

// Now implements Runtime. On Linux its clock runs ahead of time.Now by the time that the machine was
// suspended, so a lease that ended during a suspension is over when the program resumes. On other
// systems it is time.Now.
func (g *Goroutines) Now() time.Time { return g.now() }

// Send implements Runtime.
func (g *Goroutines) Send(to Replica, msg []byte) {
	g.mu.Lock()
	closed := g.closed
	g.mu.Unlock()
	if !closed {
		g.send(to, msg)
	}
}

// Receive implements Runtime.
func (g *Goroutines) Receive(f func(from Replica, msg []byte)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.handler = f
}

// OnUnreachable implements Runtime.
func (g *Goroutines) OnUnreachable(f func(replica Replica)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unreachable = f
}

// AfterFunc implements Runtime: f runs in a goroutine of its own.
func (g *Goroutines) AfterFunc(d time.Duration, f func()) (stop func()) {
	return newAlarm(g.now, d, f).stop
}

// Go implements Runtime. It must not be called after Close has been called.
func (g *Goroutines) Go(_ string, f func()) { g.wg.Go(f) }

// Sleep implements Runtime.
func (g *Goroutines) Sleep(ctx context.Context, d time.Duration) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	at := g.now().Add(d)
	t := time.NewTimer(min(d, longestNap))
	defer t.Stop()
	for {
		select {
		case <-t.C:
			left := at.Sub(g.now())
			if left <= 0 {
				return nil
			}
			t.Reset(min(left, longestNap))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// WithTimeout implements Runtime by package context, whose time-outs do not count a suspension.
func (g *Goroutines) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

// WithDeadline implements Runtime by package context, whose deadlines are instants of time.Now: it ends
// late by a suspension that comes before it.
func (g *Goroutines) WithDeadline(ctx context.Context, t time.Time) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, t.Sub(g.Now()))
}

// NewSignal implements Runtime.
func (g *Goroutines) NewSignal() Signal { return &signal{} }

// Wait implements Runtime.
func (g *Goroutines) Wait(ctx context.Context, signals ...Signal) (int, error) {
	woken := make(chan struct{}, 1)
	own := make([]*signal, len(signals))
	for i, s := range signals {
		o, ok := s.(*signal)
		if !ok {
			panic(fmt.Sprintf("client: Wait on a %T, which another Runtime made", s))
		}
		own[i] = o
		o.addWaiter(woken)
	}
	defer func() {
		for _, s := range own {
			s.removeWaiter(woken)
		}
	}()
	if i := firstFired(own); i >= 0 {
		return i, nil
	}
	select {
	case <-woken:
	case <-ctx.Done():
	}
	if i := firstFired(own); i >= 0 {
		return i, nil
	}
	return -1, context.Cause(ctx)
}
