package simcmd

import (
	"context"
	"time"
)

// advance runs one world for a span of simulated time, in steps, until ctx ends or a step fails. Now and then it prints
// its progress on stderr. The end of ctx is no error.
func (a *app) advance(ctx context.Context, what string, span, step time.Duration, run func(time.Duration) error) error {
	began := a.now()
	told := began
	for done := time.Duration(0); done < span && ctx.Err() == nil; {
		next := min(span-done, step)
		if err := run(next); err != nil {
			return err
		}
		done += next
		if now := a.now(); now.Sub(told) >= every {
			told = now
			a.Say("%4.0f s  %s: %v of %v", now.Sub(began).Seconds(), what, done, span)
		}
	}
	return nil
}
