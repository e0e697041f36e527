package rpc

import (
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/queue"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// The pause after a stream that failed.
const (
	pauseMin = 20 * time.Millisecond
	pauseMax = time.Second
)

// link is the stream of a client process to one replica. It is opened when there is
// something to send.
type link struct {
	c     *Client
	id    uint32
	queue *queue.Queue

	mu   sync.Mutex
	at   *way
	next string // address of the replica, for the next stream
	busy bool   // a stream is open, or is being opened
}

// move has the next stream go to another address. A stream that is open stays as long as it lasts: it reaches the
// replica.
func (l *link) move(addr string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next = addr; !l.busy {
		l.turn()
	}
}

// turn replaces the way if it does not lead to the newest address. The caller holds the lock.
func (l *link) turn() {
	if l.next == l.at.addr {
		return
	}
	if w, err := l.c.newWay(l.next); err == nil {
		l.at.conn.Close()
		l.at = w
	}
}

// begin is the way of a stream that is opened now, until end.
func (l *link) begin() *way {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn()
	l.busy = true
	return l.at
}

func (l *link) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy = false
	l.turn()
}

// run opens a stream whenever there is something to send and none is open.
func (l *link) run(ctx context.Context) {
	pause := pauseMin
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.queue.Wake():
		}
		begun := time.Now()
		w := l.begin()
		err := w.explain(ctx, l.stream(ctx, w))
		l.end()
		if ctx.Err() != nil {
			return
		}
		l.c.cfg.Logger.Debug("stream ended", "replica", l.id, "addr", w.addr, "err", err)
		l.queue.Drop() // it is sent again if it is still wanted
		l.c.failed(l.id, err)
		if time.Since(begun) > pauseMax {
			pause = pauseMin
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause/2 + rand.N(pause/2)):
		}
		pause = min(2*pause, pauseMax)
	}
}

// stream opens a stream on its way and carries messages until it ends.
func (l *link) stream(ctx context.Context, w *way) error {
	messages := &l.c.cfg.messages
	ctx, cancel := context.WithCancel(metadata.AppendToOutgoingContext(l.c.outgoing(ctx, l.id), keyMessages, messages.known.Text()))
	defer cancel()
	s, err := chubbyv1.NewCellClient(w.conn).Datagrams(ctx)
	if err != nil {
		return err
	}
	speaks, err := l.agree(s)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			d, err := s.Recv()
			if err == io.EOF {
				err = status.Error(codes.Unavailable, "the replica ended the stream")
			}
			if err != nil {
				ended <- err
				return
			}
			l.c.deliver(l.id, d.GetPort(), d.GetMessage())
		}
	}()
	defer func() { cancel(); <-done }()
	for {
		for _, d := range l.queue.Take() {
			wire, err := messages.in(speaks, d.Wire)
			if err != nil {
				return err
			}
			if err := s.Send(&chubbyv1.Datagram{Message: wire, Port: d.Tag}); err != nil {
				if err == io.EOF { // the reason comes by Recv
					return <-ended
				}
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return err
		case <-l.queue.Wake():
		}
	}
}

// agree waits until the replica has said which versions of messages it knows, and returns the highest that this client
// knows too. If the stream has failed, the reason comes by Recv.
func (l *link) agree(s chubbyv1.Cell_DatagramsClient) (speaks byte, err error) {
	md, err := s.Header()
	if err != nil {
		return 0, err
	}
	theirs, err := said(md)
	if err != nil {
		return 0, err
	}
	own := l.c.cfg.messages.known
	speaks, ok := own.Common(theirs)
	if !ok && md != nil {
		return 0, &VersionError{Client: own, Replica: theirs}
	}
	return speaks, nil
}
