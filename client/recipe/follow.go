package recipe

import (
	"context"
	"errors"
	"iter"
	"path"
	"slices"

	"github.com/chubbycell/chubby/client"
)

// follow opens a node and iterates over what read returns of it: at once, and again after each event
// of the handle, whatever its kind. Events that came while read ran, or while the loop's body did, are
// one reason to read, not many. The error that ends the iteration comes last. The handle is closed
// when the iteration ends.
func follow[T any](ctx context.Context, c *client.Client, name string, want client.EventMask, read func(context.Context, *client.Handle) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		h, err := open(ctx, c, name, want)
		if err != nil {
			yield(none, err)
			return
		}
		repeat(ctx, h, read, yield)
	}
}

// repeat is the iteration over an open handle, which it closes.
func repeat[T any](ctx context.Context, h *client.Handle, read func(context.Context, *client.Handle) (T, error), yield func(T, error) bool) {
	defer func() { _ = h.Close(ctx) }()
	for {
		got, err := read(ctx, h)
		if !yield(got, err) || err != nil {
			return
		}
		if err := next(ctx, h.Events()); err != nil {
			var none T
			yield(none, err)
			return
		}
	}
}

// await is follow for a node that need not be there yet: until it is, there is one value, none.
func await[T any](ctx context.Context, c *client.Client, name string, want client.EventMask, read func(context.Context, *client.Handle) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		h, err := open(ctx, c, name, want)
		if says(ctx, err, client.ErrNotFound) {
			if !yield(none, nil) {
				return
			}
			h, err = openOnceMade(ctx, c, name, want)
		}
		if err != nil {
			yield(none, err)
			return
		}
		repeat(ctx, h, read, yield)
	}
}

func open(ctx context.Context, c *client.Client, name string, want client.EventMask) (*client.Handle, error) {
	return c.Open(ctx, name, client.OpenOptions{Rights: client.Read, Events: want | client.WantInvalid})
}

// openOnceMade opens a node as soon as there is one, by the events of its directory, which need
// not be there either.
func openOnceMade(ctx context.Context, c *client.Client, name string, want client.EventMask) (*client.Handle, error) {
	for {
		above := path.Dir(name)
		dir, err := open(ctx, c, above, client.WantChildren)
		if errors.Is(err, client.ErrNotFound) && above != name {
			dir, err = openOnceMade(ctx, c, above, client.WantChildren)
		}
		for err == nil {
			var h *client.Handle
			if h, err = open(ctx, c, name, want); !errors.Is(err, client.ErrNotFound) {
				_ = dir.Close(ctx)
				return h, err
			}
			err = next(ctx, dir.Events())
		}
		if dir != nil {
			_ = dir.Close(ctx)
		}
		if !says(ctx, err, client.ErrGone) { // the directory was deleted: begin above it
			return nil, err
		}
	}
}

// says reports whether the cell has answered with one of these errors. The error of a call whose
// context has ended also is the context's cause, which may be any error: that of Lock.Context is
// ErrGone if the lock's node was deleted.
func says(ctx context.Context, err error, answers ...error) bool {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return false
	}
	return slices.ContainsFunc(answers, func(answer error) bool { return errors.Is(err, answer) })
}

// next waits for an event and takes it, with all others that are there.
func next(ctx context.Context, events *client.Events) error {
	_, err := events.Next(ctx)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for more := err; more == nil; {
		_, more = events.Next(ended) // does not wait
	}
	return err
}
