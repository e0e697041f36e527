package chubbytest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/replica"
)

// Master waits until there is a master, and returns its id. A replica that is master counts only if
// it runs, is not paused, and reaches a majority of the replicas. A master that was cut off, and
// does not know it yet, does not count. If ctx ends first, Master fails the test and reports the
// state of each replica.
func (c *Cell) Master(ctx context.Context) int {
	c.t.Helper()
	id, err := c.findMaster(ctx)
	if err != nil {
		c.t.Fatalf("chubbytest: Master: %v", err)
	}
	return id
}

// Resign waits until there is a master, and makes it resign, as before a planned stop.
// It returns the id of that replica, which may become master again. It fails the test if ctx ends
// first.
func (c *Cell) Resign(ctx context.Context) int {
	c.t.Helper()
	for {
		id, err := c.findMaster(ctx)
		if err != nil {
			c.t.Fatalf("chubbytest: Resign: %v", err)
		}
		l := c.life(id)
		if l == nil {
			continue // killed meanwhile
		}
		switch err := l.resign(ctx); {
		case err == nil:
			c.log.Info("chubbytest: resign", "replica", id)
			return id
		case !errors.Is(err, replica.ErrStopped):
			c.t.Fatalf("chubbytest: Resign: replica %d, the master: %v", id, err)
		}
	}
}

// findMaster is Master, but returns an error instead of failing the test.
func (c *Cell) findMaster(ctx context.Context) (int, error) {
	for {
		all := c.statuses(ctx)
		best := 0
		for i, s := range all {
			if s.err == nil && s.Serving && c.isInMajority(i+1) && (best == 0 || s.Epoch > all[best-1].Epoch) {
				best = i + 1
			}
		}
		if best != 0 {
			return best, nil
		}
		next := time.NewTimer(heartbeat)
		select {
		case <-next.C:
		case <-ctx.Done():
			next.Stop()
			return 0, fmt.Errorf("no master among %d replicas: %w: %v", len(all), context.Cause(ctx), describe(all))
		}
	}
}

// status is a replica's report on itself, or why there is none.
type status struct {
	replica.Status
	err error
}

// Reasons why a replica is not asked for its status.
var (
	errDown   = errors.New("does not run")
	errPaused = errors.New("is paused")
)

// statuses asks all running replicas.
func (c *Cell) statuses(ctx context.Context) []status {
	all := make([]status, c.options.Replicas)
	for i := range all {
		s, l := &all[i], c.life(i+1)
		switch {
		case l == nil:
			s.err = errDown
		case l.gate.isShut():
			s.err = errPaused
		default:
			s.Status, s.err = l.status(ctx)
		}
	}
	return all
}

// describe returns one line about all replicas.
func describe(all []status) string {
	var parts []string
	for i, s := range all {
		switch {
		case s.err != nil:
			parts = append(parts, fmt.Sprintf("replica %d: %v", i+1, s.err))
		default:
			parts = append(parts, fmt.Sprintf("replica %d: %v, leader %d, epoch %d", i+1, s.Role, s.Leader, s.Epoch))
		}
	}
	return strings.Join(parts, "; ")
}

// status asks the replica for its status.
func (l *life) status(ctx context.Context) (replica.Status, error) {
	return ask(ctx, l, l.replica.Status)
}

// resign makes the replica give up being the leader.
func (l *life) resign(ctx context.Context) error {
	_, err := ask(ctx, l, func(ctx context.Context) (struct{}, error) { return struct{}{}, l.replica.Resign(ctx) })
	return err
}

// ask calls f, which asks the replica, and returns when f does or ctx ends. If the replica is
// paused meanwhile, f returns only after Resume, whatever happens to ctx.
func ask[T any](ctx context.Context, l *life, f func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	l.cell.watches.Go(func() {
		value, err := f(ctx)
		done <- answer{value, err}
	})
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
