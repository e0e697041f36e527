package main

import (
	"context"
	"strings"
	"time"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/seeds"
)

// report is the JSON form of `chubby sim`.
type report struct {
	Build       seeds.Build    `json:"build"`
	Options     seeds.Settings `json:"options"` // of the first seed; of the others but for the seed
	From        uint64         `json:"from"`
	Shard       string         `json:"shard"`
	Totals      seeds.Totals   `json:"totals"`
	Failures    []failedSeed   `json:"failures"`
	Interrupted bool           `json:"interrupted"`
	GaveUp      bool           `json:"gave_up"`
	Exit        int            `json:"exit"`

	options plan.Options   // as asked, for what is written later
	hashes  seeds.Manifest // of the whole batch
}

// failedSeed is one failure in the report.
type failedSeed struct {
	Seed      uint64 `json:"seed"`
	Property  string `json:"property"`           // "" for a crash
	Internal  bool   `json:"internal,omitempty"` // the simulator panicked: no verdict
	Text      string `json:"text"`
	Stack     string `json:"stack,omitempty"`
	Hash      string `json:"hash"`
	Reproduce string `json:"reproduce"`
	Directory string `json:"directory,omitempty"`
	Differs   string `json:"second_hash,omitempty"` // of the run that wrote the directory, if another
}

// sim runs one seed or many.
func (a *app) sim(ctx context.Context, f *simFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	o, err := f.options()
	if err != nil {
		return err
	}
	if f.asked("seed") {
		o.Seed = f.seed
		if f.trace {
			return a.trace(f, o)
		}
		f.from, f.seeds, f.maxFailures = f.seed, 0, 0
	}
	shard, shards, err := parseShard(f.shard)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := writable(f.out); err != nil {
			return usage("--out: %v", err)
		}
	}
	c := seeds.Batch{
		Options: o, From: f.from, Seeds: f.seeds, For: f.duration, Jobs: f.jobs,
		Shard: shard, Shards: shards, MaxFailures: f.maxFailures,
	}
	if f.duration > 0 && !f.asked("seeds") {
		c.Seeds = 0
	} else if shards > 0 && c.Seeds > 0 {
		if c.Seeds = part(f.seeds, shard, shards); c.Seeds == 0 {
			return usage("--seeds %d --shard %s: fewer seeds than shards", f.seeds, f.shard)
		}
	}
	if !f.asked("seed") {
		if err := checkRange(f.from, c.Seeds); err != nil {
			return err
		}
	}
	o.Seed = f.from
	r := report{Build: a.build(), Options: seeds.SettingsOf(o), From: f.from, Shard: f.shard, Failures: []failedSeed{}, options: o}
	r.hashes = seeds.NewManifest(r.Build, o)
	if f.asked("seed") {
		a.one(&r)
	} else {
		a.many(ctx, c, &r)
	}
	return a.finish(f, &r)
}

// one runs the seed of the options.
func (a *app) one(r *report) {
	began := a.now()
	var t seeds.Tally
	res := seeds.Guard(a.simulate)(r.options)
	r.take(&t, &res)
	r.Totals = t.Totals(a.now().Sub(began))
}

// patience is how many idle seeds a batch suffers for each counted one that
// is asked for.
const patience = 4

// many runs a batch.
func (a *app) many(ctx context.Context, c seeds.Batch, r *report) {
	bounded, giveUp := context.WithCancel(ctx)
	defer giveUp()
	began := a.now()
	p := a.newProgress(counting, c.Seeds, c.For)
	var t seeds.Tally
	var counted, idle uint64
	var thrown panics
	each := func(res cell.Result) {
		r.take(&t, &res)
		switch {
		case res.Counted:
			counted++
		case !res.Failed():
			idle++
		}
		p.seed(&res, counted)
		if res.Failed() {
			p.failure(&r.Failures[len(r.Failures)-1])
		}
		if c.Seeds > 0 && counted < c.Seeds && (idle/patience >= c.Seeds || noMore(res.Seed, c.Shards)) {
			r.GaveUp = true
			giveUp()
		}
	}
	c.Each = func(res cell.Result) { // on a worker
		if !thrown.guard(func() { each(res) }) {
			giveUp()
		}
	}
	a.batch(bounded, c)
	thrown.rethrow()
	p.finish()
	r.Interrupted = ctx.Err() != nil
	r.Totals = t.Totals(a.now().Sub(began))
}

// take notes the result of a seed.
func (r *report) take(t *seeds.Tally, res *cell.Result) {
	t.Add(*res)
	r.hashes.Add(res)
	if res.Failed() {
		o := r.options
		o.Seed = res.Seed
		r.Failures = append(r.Failures, failedSeed{
			Seed: res.Seed, Property: res.Breach.ID, Internal: res.Internal, Text: res.Breach.Text, Stack: res.Stack, Hash: res.Hash, Reproduce: reproduce(o),
		})
	}
}

// finish writes what is to be written and picks the exit code.
func (a *app) finish(f *simFlags, r *report) error {
	if f.out != "" {
		if err := a.leave(f, r); err != nil {
			return internal(err)
		}
	}
	r.Exit = r.code()
	a.explainInternal(r)
	if f.form == "json" {
		if err := a.json(r); err != nil {
			return err
		}
		return exit(r.Exit)
	}
	if err := r.Totals.WriteTable(a.out); err != nil {
		return internal(err)
	}
	for i := range r.Failures {
		if err := a.printFailure(&r.Failures[i]); err != nil {
			return err
		}
	}
	a.explainExit(f, r)
	return exit(r.Exit)
}

// code is the exit code: the worst that happened. A panic of the simulator is
// worse than anything it found, and an interrupt is always one.
func (r *report) code() int {
	if r.Totals.Internal > 0 {
		return exitInternal
	}
	for i := range r.Failures {
		if r.Failures[i].Differs != "" {
			return exitDiffers
		}
	}
	switch {
	case r.Interrupted:
		return exitInterrupted
	case r.Totals.Failed > 0:
		return exitBroken
	case r.Totals.Undecided > 0 || r.GaveUp:
		return exitUndecided
	}
	return exitClean
}

// explainInternal says on stderr, whatever the form of what is printed, that the
// simulator is wrong, and where to look.
func (a *app) explainInternal(r *report) {
	for i := range r.Failures {
		if f := &r.Failures[i]; f.Internal {
			a.say("chubby: internal error: seed %d: %s", f.Seed, strings.TrimPrefix(f.Text, "internal: "))
		}
	}
}

// explainExit says on stderr what the table does not.
func (a *app) explainExit(f *simFlags, r *report) {
	if f.maxFailures > 0 && r.Totals.Failed >= uint64(f.maxFailures) {
		a.say("chubby: ended at --max-failures %d", f.maxFailures)
	}
	switch r.Exit {
	case exitInterrupted:
		a.say("chubby: interrupted; these are the seeds that ended before")
	case exitUndecided:
		if r.GaveUp {
			a.say("chubby: gave up: %d seeds were idle, that is simulated less than %v or %d calls", r.Totals.Idle, cell.FloorTime, cell.FloorOps)
		}
	case exitDiffers:
		a.say("chubby: a failing seed gave another history when it was run again; `chubby sim verify` names the event")
	}
}

// every is how often plain progress lines are printed.
const every = 10 * time.Second
