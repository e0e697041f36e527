package recipe

import (
	"context"
	"errors"
	"sync"
)

// Holder holds a lock: a *client.Lock, a *Term or a *Permit.
type Holder interface {
	// Err returns why the lock is not held, or nil if it is.
	Err() error
	// Sequencer returns the string that names this acquisition of the lock.
	Sequencer() string
}

// Writer is the client's end of a sequencer. It sends each request of a lock's holder together with
// the lock's sequencer, to a resource that has a Fence or calls client.Handle.CheckSequencer. All
// methods are safe for concurrent use.
//
// It asks the Holder first, and sends nothing if the lock is not held. That only saves work and is
// no protection: the program may be paused after the check, and the request may arrive minutes
// later. The resource decides.
type Writer[Q, A any] struct {
	holder Holder
	send   func(ctx context.Context, sequencer string, request Q) (A, error)

	mu     sync.Mutex
	fenced error // the error by which the resource refused this holder; nil: none
}

// NewWriter returns a Writer that sends requests with send. If the resource refuses the sequencer,
// send must return an error that is ErrFenced.
func NewWriter[Q, A any](holder Holder, send func(ctx context.Context, sequencer string, request Q) (A, error)) *Writer[Q, A] {
	return &Writer[Q, A]{holder: holder, send: send}
}

// Do sends a request and returns the resource's answer. It fails with the error of Holder.Err if
// the lock is not held, and otherwise with the error of send. After an ErrFenced, each call fails
// with that error and sends nothing.
func (w *Writer[Q, A]) Do(ctx context.Context, request Q) (A, error) {
	var none A
	if err := w.err(); err != nil {
		return none, err
	}
	if err := w.holder.Err(); err != nil {
		return none, err
	}
	answer, err := w.send(ctx, w.holder.Sequencer(), request)
	if errors.Is(err, ErrFenced) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.fenced = err
	}
	return answer, err
}

func (w *Writer[Q, A]) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fenced
}
