package rpc

import (
	"context"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
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
	addr  string
	conn  *grpc.ClientConn
	queue *queue.Queue
	// handshake is the error of the last TLS handshake; nil: it succeeded, or there was none.
	handshake atomic.Pointer[error]
}

func (l *link) noteHandshake(err error) {
	if err == nil {
		l.handshake.Store(nil)
		return
	}
	l.handshake.Store(&err)
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
		err := l.explain(ctx, l.stream(ctx))
		if ctx.Err() != nil {
			return
		}
		l.c.cfg.Logger.Debug("stream ended", "replica", l.id, "addr", l.addr, "err", err)
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

// stream opens a stream and carries messages until it ends.
func (l *link) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancel(l.c.outgoing(ctx, l.id))
	defer cancel()
	s, err := chubbyv1.NewCellClient(l.conn).Datagrams(ctx)
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
			if err := s.Send(&chubbyv1.Datagram{Message: d.Wire, Port: d.Tag}); err != nil {
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
