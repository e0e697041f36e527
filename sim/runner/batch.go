package runner

import (
	"context"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// Batch describes many seeds that run side by side.
type Batch struct {
	plan.Options               // of every seed, except for Seed; no trace
	From         uint64        // first seed
	Seeds        uint64        // counted seeds that end the batch; 0: no such end
	Most         uint64        // seeds that are run, counted or not; 0: no such end
	For          time.Duration // real time after which no seed is begun; 0: no such end
	Jobs         int           // seeds that run at a time, at most Seeds; 0: one for each processor
	Shard        uint64        // this shard of Shards, from 1; 0: all
	Shards       uint64
	MaxFailures  int               // failing seeds after which no seed is begun; 0: all are run
	Runner       Runner            // runs one seed; nil: cell.Run
	Each         func(cell.Result) // called for each seed in turn, in order of seeds
}

// Run runs the batch. It blocks until all seeds that it has begun have ended, and returns why it
// began no more; EndInterrupt is a canceled ctx, for whatever reason. It never begins a seed beyond
// the largest one, or beyond the last of Most. It passes results to Each in the order of seeds, in
// whatever order workers end, so two runs that end for the same reason pass the same results.
func (b Batch) Run(ctx context.Context) End {
	jobs := b.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	if b.Seeds > 0 { // more seeds at a time would run in vain
		jobs = int(min(uint64(jobs), b.Seeds))
	}
	run := b.Runner
	if run == nil {
		run = cell.Run
	}
	run = Guard(run)
	f := &feed{batch: &b, began: time.Now(), ready: map[uint64]cell.Result{}}
	f.next, f.spent = b.first()
	f.told = f.next
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for {
				seed, ok := f.take(ctx)
				if !ok {
					return
				}
				o := b.Options
				o.Seed = seed
				f.give(seed, run(o))
			}
		})
	}
	workers.Wait()
	switch {
	case f.over != "":
		return f.over
	case ctx.Err() != nil:
		return EndInterrupt
	case f.spent:
		return EndLast
	}
	return EndTime
}

// feed gives seeds to workers and takes their results.
type feed struct {
	batch *Batch
	began time.Time

	mu       sync.Mutex
	next     uint64                 // seed to hand out
	spent    bool                   // no seed is left to hand out
	begun    uint64                 // seeds handed out
	told     uint64                 // the seed whose result is passed to Each next
	ready    map[uint64]cell.Result // results that wait for an earlier seed under way
	counted  uint64
	failures int
	over     End // "": not yet
}

// first returns the first seed of this shard; none is true if the shard has no seed.
func (b *Batch) first() (seed uint64, none bool) {
	if b.Shards <= 1 {
		return b.From, false
	}
	ahead := (b.Shard - 1 + b.Shards - b.From%b.Shards) % b.Shards
	return b.From + ahead, ahead > math.MaxUint64-b.From
}

func (f *feed) take(ctx context.Context) (uint64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.batch
	if f.over != "" || f.spent || ctx.Err() != nil || b.For > 0 && time.Since(f.began) >= b.For {
		return 0, false
	}
	seed := f.next
	f.next = f.after(seed)
	f.begun++
	f.spent = f.next < seed || f.begun == b.Most
	return seed, true
}

// give takes a result, and passes to Each all results that no longer wait for an earlier seed. It
// drops results beyond the end of the batch, of seeds that faster workers had begun.
func (f *feed) give(seed uint64, r cell.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ready[seed] = r
	for f.over == "" {
		r, ok := f.ready[f.told]
		if !ok {
			return
		}
		delete(f.ready, f.told)
		f.told = f.after(f.told)
		f.batch.Each(r)
		if r.Counted {
			f.counted++
		}
		if r.Failed() {
			f.failures++
		}
		switch b := f.batch; {
		case b.Seeds > 0 && f.counted >= b.Seeds:
			f.over = EndSeeds
		case b.MaxFailures > 0 && f.failures >= b.MaxFailures:
			f.over = EndFailures
		}
	}
}

func (f *feed) after(seed uint64) uint64 {
	if s := f.batch.Shards; s > 1 {
		return seed + s
	}
	return seed + 1
}
