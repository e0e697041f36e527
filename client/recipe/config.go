package recipe

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/chubbycell/chubby/client"
)

// Config follows a file whose contents are a value of the program: it reads and parses the file,
// and reads it again after each event. Contents that do not parse do not replace the value: the
// last good one stays. All methods are safe for concurrent use.
type Config[T any] struct {
	rt     client.Runtime
	file   string
	parse  func(text string) (T, error)
	cancel context.CancelFunc

	mu    sync.Mutex
	text  string // as last read
	value T      // of the last contents that could be parsed
	good  bool   // value comes from the file
	err   error  // why value does not match the present contents; nil: it does
	over  error  // why the file is no longer followed; nil: it is
	news  bool   // Next has not returned the fields above yet
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

// WatchConfig reads a file and follows it by events until Close, on a thread of control of its own.
// It blocks until there is a first value. It fails with a *ParseError if the contents do not parse
// at that time, and with the errors of Open and Contents. It calls parse on that thread, once for
// each contents. Until parse returns, Value is the value before.
//
// In a cell without events WatchConfig returns the first value, and Err is client.ErrNoLeases.
func WatchConfig[T any](ctx context.Context, c *client.Client, file string, parse func(text string) (T, error)) (*Config[T], error) {
	return watchText(ctx, c, file, follow[string], parse)
}

// watchText is WatchConfig with the given iteration over the contents: follow, or await.
func watchText[T any](ctx context.Context, c *client.Client, file string, iterate textIterator, parse func(text string) (T, error)) (*Config[T], error) {
	thread, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &Config[T]{rt: c.Runtime(), file: file, parse: parse, cancel: cancel}
	w.rt.Go("config "+file, func() {
		for text, err := range iterate(thread, c, file, client.WantContents, readText) {
			if err != nil && thread.Err() != nil { // else callers of Next took it for the end of their own context
				err = fmt.Errorf("recipe: contents of %s: %w", file, client.ErrClosed)
			}
			w.take(file, text, err)
		}
	})
	if _, err := w.Next(ctx); err != nil && !w.hasValue() {
		w.Close()
		return nil, err
	}
	return w, nil // perhaps with an error that came behind the value
}

// textIterator is follow or await, for the contents of a file.
type textIterator = func(ctx context.Context, c *client.Client, name string, want client.EventMask, read func(context.Context, *client.Handle) (string, error)) iter.Seq2[string, error]

func readText(ctx context.Context, h *client.Handle) (string, error) {
	text, _, err := h.Contents(ctx)
	return text, err
}

// take records what was read, or why nothing was. It parses without mu: parse may call methods of w, and
// may take its time, and Value does not wait for it.
func (w *Config[T]) take(file, text string, err error) {
	if err == nil && w.isKnown(text) {
		return
	}
	var value T
	var bad error
	if err == nil {
		value, bad = w.parse(text)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		w.err, w.over = err, err
	case bad != nil:
		w.text, w.err = text, &ParseError{file, bad}
	default:
		w.text, w.err, w.value, w.good = text, nil, value, true
	}
	w.news = true
	for _, s := range w.wake {
		s.Fire()
	}
	w.wake = nil
}

// isKnown reports whether this text was parsed last, and there is a value.
func (w *Config[T]) isKnown(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.good && text == w.text
}

// Value returns the value of the last contents that parsed. It does not block.
func (w *Config[T]) Value() T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.value
}

// Err returns why Value does not match the present contents of the file, as far as the program has
// been told, or nil if it does. A *ParseError lasts until the file parses again. Any other error is
// final, such as client.ErrSessionExpired, client.ErrGone, or client.ErrClosed after Close. Value
// stays available in each case.
func (w *Config[T]) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Next blocks until the contents have changed since the last return of Next, and returns Value and
// Err. If changes follow in quick succession, it may leave out all but the last. Concurrent callers
// share the changes. If ctx ends first, Next fails with its error, which names the file. After a final error it returns
// that error at once.
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
			w.removeWake(changed)
			if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) { // err is the cause, which may be ErrClosed
				err = fmt.Errorf("%w: because of %w", ended, err)
			}
			return value, fmt.Errorf("recipe: no news of %s: %w", w.file, err)
		}
	}
}

func (w *Config[T]) removeWake(s client.Signal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wake = slices.DeleteFunc(w.wake, func(have client.Signal) bool { return have == s })
}

// hasValue reports whether there is a value.
func (w *Config[T]) hasValue() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.good
}

// isOver reports whether the file is no longer followed.
func (w *Config[T]) isOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over != nil
}

// Close stops following the file. It does not wait. Value stays available, and a Next under way soon
// fails with client.ErrClosed.
func (w *Config[T]) Close() { w.cancel() }
