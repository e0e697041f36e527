package recipe

import (
	"context"
	"fmt"
	"sync"

	"github.com/chubbycell/chubby/client"
)

// Config is a file whose contents are a value of the program: read, parsed, and read again after each
// event. Contents that do not parse do not replace the value: the last good one stays. All methods are
// safe for concurrent use.
type Config[T any] struct {
	rt     client.Runtime
	parse  func(text string) (T, error)
	cancel context.CancelFunc

	mu    sync.Mutex
	text  string // as read last
	value T      // of the last contents that could be parsed
	good  bool   // value is of some contents
	err   error  // why value is not that of the present contents; nil: it is
	over  error  // why nothing more is read; nil: the file is followed
	news  bool   // Next has not returned what is above
	wake  []client.Signal
}

// ParseError says that the contents of a file could not be parsed.
type ParseError struct {
	File string
	Err  error // the error of the parse function
}

// Error names the file and the reason.
func (e *ParseError) Error() string { return fmt.Sprintf("recipe: contents of %s: %v", e.File, e.Err) }

// Unwrap returns the error of the parse function.
func (e *ParseError) Unwrap() error { return e.Err }

// WatchConfig reads a file and follows it by events until Close, on a thread of control of its own. It
// blocks until there is a first value. It fails with a *ParseError if the contents at that time do not
// parse, and as Open and Contents do. parse is called on that thread, for each contents once.
func WatchConfig[T any](ctx context.Context, c *client.Client, file string, parse func(text string) (T, error)) (*Config[T], error) {
	thread, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &Config[T]{rt: c.Runtime(), parse: parse, cancel: cancel}
	w.rt.Go("config "+file, func() {
		for text, err := range follow(thread, c, file, client.WantContents, readText) {
			w.take(file, text, err)
		}
	})
	if _, err := w.Next(ctx); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func readText(ctx context.Context, h *client.Handle) (string, error) {
	text, _, err := h.Contents(ctx)
	return text, err
}

// take notes what was read, or why nothing was.
func (w *Config[T]) take(file, text string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		w.err, w.over = err, err
	case w.good && text == w.text:
		return
	default:
		w.text = text
		value, err := w.parse(text)
		if w.err = nil; err != nil {
			w.err = &ParseError{file, err}
		} else {
			w.value, w.good = value, true
		}
	}
	w.news = true
	for _, s := range w.wake {
		s.Fire()
	}
	w.wake = nil
}

// Value returns the value of the last contents that parsed. It does not block.
func (w *Config[T]) Value() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.value
}

// Err returns why Value is not that of the file's present contents, or nil if it is, as far as the
// program has heard: a *ParseError until the file parses again, any other error for good, such as
// client.ErrSessionExpired, client.ErrGone or client.ErrClosed. Value stays in each case.
func (w *Config[T]) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Next blocks until the contents have changed since Next returned the last time, and returns Value and
// Err. Of changes in quick succession it may leave out all but the last. Callers at the same time share
// the changes. If ctx ends first, it fails with its error. After an error for good it returns that at
// once.
func (w *Config[T]) Next(ctx context.Context) (T, error) {
	for {
		w.mu.Lock()
		value, err, ready := w.value, w.err, w.news || w.over != nil
		w.news = false
		var changed client.Signal
		if !ready {
			changed = w.rt.NewSignal()
			w.wake = append(w.wake, changed)
		}
		w.mu.Unlock()
		if ready {
			return value, err
		}
		if _, err := w.rt.Wait(ctx, changed); err != nil {
			return value, err
		}
	}
}

// isOver reports whether the file is not followed any more.
func (w *Config[T]) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over != nil
}

// Close ends the following of the file. It does not wait. Value stays.
func (w *Config[T]) Close() { w.cancel() }
