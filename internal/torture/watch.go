package torture

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/client"
)

// watched is a file that one client writes and others watch: each reads it once, and again
// behind each event, and so ends with what was written last (S13).
type watched struct {
	run  *run
	seen []atomic.Uint64 // the newest generation that each watcher has read, by number of its client
}

const watchedFile = "/ls/local/torture-watched"

func newWatched(r *run, watchers int) *watched {
	return &watched{run: r, seen: make([]atomic.Uint64, watchers)}
}

// write changes the file ten times a second until ctx ends.
func (w *watched) write(ctx context.Context, s *session) {
	for n := 0; pause(ctx, 100*time.Millisecond); n++ {
		_ = w.set(ctx, s, fmt.Sprint(n))
	}
}

func (w *watched) set(ctx context.Context, s *session, text string) error {
	cl, life, err := s.client(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	h, err := cl.Open(ctx, watchedFile, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	if err == nil {
		_, err = h.SetContents(ctx, text, 0)
		_ = h.Close(ctx)
	}
	s.met(life, err)
	return err
}

// watch reads the file, and reads it again behind each event, until ctx ends.
func (w *watched) watch(ctx context.Context, s *session) {
	for ctx.Err() == nil {
		cl, life, err := s.client(ctx)
		if err != nil {
			continue
		}
		h, err := cl.Open(ctx, watchedFile, client.OpenOptions{Rights: client.Read, Create: client.CreateMay, Events: client.WantContents | client.WantInvalid})
		if err == nil {
			err = w.follow(ctx, h, s.number)
		}
		s.met(life, err)
		pause(ctx, 10*time.Millisecond)
	}
}

func (w *watched) follow(ctx context.Context, h *client.Handle, i int) error {
	if err := w.read(ctx, h, i, 0); err != nil {
		return err
	}
	for e, err := range h.Events().All(ctx) {
		if err != nil {
			return err
		}
		cause := uint64(0)
		if e.Kind == client.EventContents {
			cause = e.Cause
		}
		w.run.counts.events.Add(1)
		if err := w.read(ctx, h, i, cause); err != nil {
			return err
		}
	}
	return nil
}

// read reads the file behind an event of the change that has the number cause.
func (w *watched) read(ctx context.Context, h *client.Handle, i int, cause uint64) error {
	_, stat, err := h.Contents(ctx)
	if err != nil {
		return err
	}
	if uint64(stat.Content) < cause {
		w.run.broken("S13", "client %d got an event that %s has generation %d, and then read generation %d", i, watchedFile, cause, stat.Content)
	}
	w.seen[i].Store(uint64(stat.Content))
	return nil
}

// settle waits until all watchers have read what was written last: the cell is whole.
func (w *watched) settle(ctx context.Context, s *session) {
	for ctx.Err() == nil && w.set(ctx, s, "the last words") != nil {
		pause(ctx, 50*time.Millisecond)
	}
	last := uint64(0)
	for ctx.Err() == nil && last == 0 {
		cl, life, err := s.client(ctx)
		if err != nil {
			continue
		}
		h, err := cl.Open(ctx, watchedFile, client.OpenOptions{})
		if err == nil {
			var stat client.Stat
			if _, stat, err = h.Contents(ctx); err == nil {
				last = uint64(stat.Content)
			}
		}
		s.met(life, err)
	}
	for i := range w.seen {
		for w.seen[i].Load() < last {
			if !pause(ctx, 5*time.Millisecond) {
				if ctx.Err() == context.DeadlineExceeded {
					w.run.broken("S13", "client %d watches %s, which has had generation %d for %v, but the last generation that it read is %d", i, watchedFile, last, settleFor, w.seen[i].Load())
				}
				return
			}
		}
	}
}
