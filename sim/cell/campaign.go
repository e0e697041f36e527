package cell

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Campaign is many seeds, run side by side.
type Campaign struct {
	Options                   // of every seed but for Seed; no trace
	From        uint64        // first seed
	Seeds       uint64        // counted seeds wanted; 0: no such end
	For         time.Duration // real time after which no seed is begun; 0: no such end
	Jobs        int           // seeds at a time; 0: one a processor
	Shard       uint64        // this shard of Shards, from 1; 0: all
	Shards      uint64
	MaxFailures int                  // failing seeds after which no seed is begun; 0: all are run
	Runner      func(Options) Result // runs one seed; nil: Run
	Each        func(Result)         // called for each seed in turn, in order of seeds
}

// Run runs the campaign and returns when all begun seeds have ended, or ctx is
// canceled, which ends it after the seeds under way. Results are told to Each in
// the order of seeds, whatever the order in which workers end; so two runs that
// end for the same reason tell the same.
func (c Campaign) Run(ctx context.Context) {
	jobs := c.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	run := c.Runner
	if run == nil {
		run = Run
	}
	f := &feed{campaign: &c, next: c.From, began: time.Now(), ready: map[uint64]Result{}, told: c.From}
	f.skip()
	f.told = f.next
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for {
				seed, ok := f.take(ctx)
				if !ok {
					return
				}
				o := c.Options
				o.Seed = seed
				f.give(seed, guarded(run, o))
			}
		})
	}
	workers.Wait()
}

// guarded runs a seed and turns a panic of the simulator's own code, on this
// worker, into a Result that says so: no verdict on the product.
func guarded(run func(Options) Result, o Options) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			r = Result{
				Seed: o.Seed, Internal: true, Stack: string(debug.Stack()),
				Breach: &Breach{Text: fmt.Sprintf("internal: the simulator panicked: %v", p)},
			}
		}
	}()
	return run(o)
}

// feed hands out seeds and takes back results.
type feed struct {
	campaign *Campaign
	began    time.Time

	mu       sync.Mutex
	next     uint64            // seed to hand out
	told     uint64            // seed to tell next
	ready    map[uint64]Result // ended, not told: an earlier seed is under way
	counted  uint64
	failures int
	over     bool
}

// skip moves next on to a seed of this shard.
func (f *feed) skip() {
	if c := f.campaign; c.Shards > 1 {
		for f.next%c.Shards != c.Shard-1 {
			f.next++
		}
	}
}

func (f *feed) take(ctx context.Context) (uint64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.campaign
	if f.over || ctx.Err() != nil || c.For > 0 && time.Since(f.began) >= c.For {
		return 0, false
	}
	seed := f.next
	f.next++
	f.skip()
	return seed, true
}

// give tells what has become tellable. Results beyond the end of the campaign,
// begun because other workers were faster, are not told.
func (f *feed) give(seed uint64, r Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready[seed] = r
	for !f.over {
		r, ok := f.ready[f.told]
		if !ok {
			return
		}
		delete(f.ready, f.told)
		f.told = f.after(f.told)
		f.campaign.Each(r)
		if r.Counted {
			f.counted++
		}
		if r.Failed() {
			f.failures++
		}
		c := f.campaign
		f.over = c.Seeds > 0 && f.counted >= c.Seeds || c.MaxFailures > 0 && f.failures >= c.MaxFailures
	}
}

func (f *feed) after(seed uint64) uint64 {
	if s := f.campaign.Shards; s > 1 {
		return seed + s
	}
	return seed + 1
}
