package recipe

import (
	"context"
	"iter"

	"github.com/chubbycell/chubby/client"
)

// follow opens a node and iterates over what read returns of it: at once, and again after each event
// of the handle, whatever its kind. Events that came while read ran, or while the loop's body did, are
// one reason to read, not many. The error that ends the iteration comes last. The handle is closed
// when the iteration ends.
func follow[T any](ctx context.Context, c *client.Client, name string, want client.EventMask, read func(context.Context, *client.Handle) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		h, err := c.Open(ctx, name, client.OpenOptions{Rights: client.Read, Events: want | client.WantInvalid})
		if err != nil {
			yield(none, err)
			return
		}
		defer func() { _ = h.Close(ctx) }()
		for {
			got, err := read(ctx, h)
			if !yield(got, err) || err != nil {
				return
			}
			if err := next(ctx, h.Events()); err != nil {
				yield(none, err)
				return
			}
		}
	}
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
