package workload

import (
	"context"
	"time"
)

// waitsForRoom waits before the next call of a program that found no room: it would
// find none again, and again.
func (p *thread) waitsForRoom(ctx context.Context) error {
	if !p.crowded {
		return nil
	}
	p.crowded = false
	return p.rt.Sleep(ctx, p.draws.Duration(0, 2*time.Second))
}
