package workload

import (
	"context"
	"time"
)

// waitForRoom waits before the next call of a program whose last call found no room; a call at once
// would find none again.
func (p *thread) waitForRoom(ctx context.Context) error {
	if !p.crowded {
		return nil
	}
	p.crowded = false
	return p.rt.Sleep(ctx, p.draws.Duration(0, 2*time.Second))
}
