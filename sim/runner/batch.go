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

// Batch is many seeds, run side by side.
type Batch struct {
	plan.Options               // of every seed but for Seed; no trace
	From         uint64        // first seed
	Seeds        uint64        // counted seeds wanted; 0: no such end
	Most         uint64        // seeds that are run, whether they count or not; 0: no such end
	For          time.Duration // real time after which no seed is begun; 0: no such end
	Jobs         int           // seeds at a time, at most Seeds of them; 0: one a processor
	Shard        uint64        // this shard of Shards, from 1; 0: all
	Shards       uint64
	MaxFailures  int               // failing seeds after which no seed is begun; 0: all are run
	Runner       Runner            // runs one seed; nil: cell.Run
	Each         func(cell.Result) // called for each seed in turn, in order of seeds
}

// Run runs the batch and returns when all begun seeds have ended, or ctx is
// canceled, which ends it after the seeds under way. The largest seed is the last
// one, whatever is wanted, and so is the last of Most. Results are told to Each in
// the order of seeds, whatever the order in which workers end; so two runs that
// end for the same reason tell the same. It returns that reason: EndInterrupt is a
// canceled ctx, whatever it was canceled for.
func (b Batch) Run(ctx context.Context) End {
	jobs := b.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	if b.Seeds > 0 { // more would be begun in vain, and ended
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

// feed hands out seeds and takes back results.
type feed struct {
	batch *Batch
	began time.Time

	mu       sync.Mutex
	next     uint64                 // seed to hand out
	spent    bool                   // there is none
	begun    uint64                 // seeds handed out
	told     uint64                 // seed to tell next
	ready    map[uint64]cell.Result // ended, not told: an earlier seed is under way
	counted  uint64
	failures int
	over     End // "": not yet
}

// first is the first seed of this shard, if there is one.
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

// give tells what has become tellable. Results beyond the end of the batch,
// begun because other workers were faster, are not told.
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
