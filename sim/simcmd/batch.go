package simcmd

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// report is the JSON form of `chubby sim`.
type report struct {
	Build       runner.Build    `json:"build"`
	Options     runner.Settings `json:"options"` // of the first seed; of the others but for the seed
	From        uint64          `json:"from"`
	Shard       string          `json:"shard"`
	Asked       uint64          `json:"asked"`             // counted seeds, of all shards together; 0: no number was
	Shards      []string        `json:"shards,omitempty"`  // merged
	Missing     []string        `json:"missing,omitempty"` // of them
	Totals      runner.Totals   `json:"totals"`
	Failures    []failedSeed    `json:"failures"`
	Runs        []runner.Run    `json:"runs,omitempty"` // of a shard
	EndedBy     runner.End      `json:"ended_by"`
	Wanted      uint64          `json:"wanted"`  // counted seeds; 0: no number was asked for
	Counted     uint64          `json:"counted"` // of them
	MinCounted  uint64          `json:"min_counted,omitempty"`
	Interrupted bool            `json:"interrupted"`
	GaveUp      bool            `json:"gave_up"`
	Exit        int             `json:"exit"`

	single  bool            // of one seed, that was asked for
	options plan.Options    // as asked, for what is written later
	hashes  runner.Manifest // of the whole batch
	again   func(plan.Options) string
}

// failedSeed is one failure in the report.
type failedSeed struct {
	Seed     uint64 `json:"seed"`
	Property string `json:"property"` // "" for a crash
	// Conformance says that a rule of our implementation was not kept, which serves Property.
	Conformance bool `json:"conformance,omitempty"`

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
	o, err := f.options(a.o.With)
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
		if err := cli.Writable(f.out); err != nil {
			return cli.Usage("--out: %v", err)
		}
	}
	c := runner.Batch{
		Options: o, From: f.from, Seeds: f.seeds, For: f.duration, Jobs: f.jobs,
		Shard: shard, Shards: shards, MaxFailures: f.maxFailures,
	}
	if f.duration > 0 && !f.asked("seeds") {
		c.Seeds = 0
	} else if shards > 0 && c.Seeds > 0 {
		if c.Seeds = part(f.seeds, shard, shards); c.Seeds == 0 {
			return cli.Usage("--seeds %d --shard %s: fewer seeds than shards", f.seeds, f.shard)
		}
	}
	if !f.asked("seed") {
		if err := cli.CheckRange(f.from, c.Seeds); err != nil {
			return err
		}
	}
	asked := f.seeds
	if c.Seeds == 0 {
		asked = 0
	}
	o.Seed = f.from
	r := report{Build: a.build(), Options: runner.SettingsOf(o), From: f.from, Shard: f.shard, Asked: asked, MinCounted: f.minCounted, Failures: []failedSeed{}, options: o, again: a.reproduce}
	r.hashes = runner.NewManifest(r.Build, o)
	if r.single = f.asked("seed"); r.single {
		a.one(&r)
	} else {
		a.many(ctx, c, &r)
	}
	return a.finish(f, &r)
}

// one runs the seed of the options.
func (a *app) one(r *report) {
	began := a.now()
	var t runner.Tally
	res := runner.Guard(a.simulate)(r.options)
	r.take(&t, &res)
	r.Totals, r.EndedBy = t.Totals(a.now().Sub(began)), runner.EndSeeds
}

// patience is how many idle seeds a batch suffers for each counted one that
// is asked for.
const patience = 4

// many runs a batch.
func (a *app) many(ctx context.Context, c runner.Batch, r *report) {
	bounded, giveUp := context.WithCancel(ctx)
	defer giveUp()
	began := a.now()
	p := a.newProgress(counting, c.Seeds, c.For)
	var t runner.Tally
	var counted, idle uint64
	var thrown cli.Panics
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
		if !thrown.Guard(func() { each(res) }) {
			giveUp()
		}
	}
	r.EndedBy = a.batch(bounded, c)
	thrown.Rethrow()
	p.finish()
	r.Interrupted, r.Wanted = ctx.Err() != nil, c.Seeds
	switch {
	case r.Interrupted:
		r.EndedBy = runner.EndInterrupt
	case r.GaveUp:
		r.EndedBy = runner.EndIdle
	}
	r.Totals = t.Totals(a.now().Sub(began))
}

// take notes the result of a seed.
func (r *report) take(t *runner.Tally, res *cell.Result) {
	t.Add(*res)
	r.hashes.Add(res)
	if r.Shard != "" {
		r.Runs = append(r.Runs, runner.RunOf(res))
	}
	if res.Failed() {
		o := r.options
		o.Seed = res.Seed
		r.Failures = append(r.Failures, failedSeed{
			Seed: res.Seed, Property: res.Breach.ID, Conformance: res.Breach.Conformance, Internal: res.Internal, Text: res.Breach.Text, Stack: res.Stack, Hash: res.Hash, Reproduce: r.again(o),
		})
	}
}

// finish writes what is to be written and picks the exit code.
func (a *app) finish(f *simFlags, r *report) error {
	if f.out != "" {
		if err := a.leave(f, r); err != nil {
			return cli.Internal(err)
		}
	}
	return a.tell(f.form, f.more, r)
}

// tell prints a report, what failed first, and returns its exit code as an error.
func (a *app) tell(form cli.Form, more bool, r *report) error {
	r.Counted = r.Totals.Counted
	r.Exit = r.code()
	a.explainInternal(r)
	defer a.explainExit(r)
	if form == "json" {
		if err := a.JSON(r); err != nil {
			return err
		}
		return cli.Exit(r.Exit)
	}
	for i := range r.Failures {
		if err := a.printFailure(&r.Failures[i]); err != nil {
			return err
		}
	}
	if err := r.Totals.WriteTable(a.Out, more); err != nil {
		return cli.Internal(err)
	}
	if !r.single {
		if err := a.Printf("\n%-20s %s: %s\n", "ended by", r.EndedBy.Words(), r.reached()); err != nil {
			return err
		}
	}
	return cli.Exit(r.Exit)
}

// reached says how many seeds counted.
func (r *report) reached() string {
	if r.Wanted == 0 {
		return fmt.Sprintf("%d counted", r.Counted)
	}
	return fmt.Sprintf("%d counted of %d wanted", r.Counted, r.Wanted)
}

// code is the exit code: the worst that happened. A panic of the simulator is
// worse than anything it found, and an interrupt is always one.
func (r *report) code() int {
	if r.Totals.Internal > 0 {
		return cli.ExitInternal
	}
	for i := range r.Failures {
		if r.Failures[i].Differs != "" {
			return cli.ExitDiffers
		}
	}
	switch {
	case r.Interrupted:
		return cli.ExitInterrupted
	case r.Totals.Failed > 0:
		return cli.ExitBroken
	case r.Totals.Undecided > 0 || r.GaveUp || len(r.Missing) > 0 || r.Counted < r.MinCounted:
		return cli.ExitUndecided
	}
	return cli.ExitClean
}

// explainInternal says on stderr, whatever the form of what is printed, that the
// simulator is wrong, and where to look.
func (a *app) explainInternal(r *report) {
	for i := range r.Failures {
		if f := &r.Failures[i]; f.Internal {
			a.Warn("internal error: seed %d: %s", f.Seed, strings.TrimPrefix(f.Text, "internal: "))
		}
	}
}

// explainExit says on stderr, whatever the form, why there are fewer seeds than were
// wanted, and what else explains the exit code.
func (a *app) explainExit(r *report) {
	switch {
	case r.EndedBy == runner.EndIdle:
		a.Warn("%s; gave up: %d seeds were idle, that is simulated less than %v or %d calls", r.reached(), r.Totals.Idle, cell.FloorTime, cell.FloorOps)
	case r.Interrupted:
		a.Warn("interrupted; these are the seeds that ended before: %s", r.reached())
	case r.Counted < r.Wanted || r.EndedBy == runner.EndFailures:
		a.Warn("ended by %s: %s", r.EndedBy.Words(), r.reached())
	}
	if len(r.Missing) > 0 {
		a.Warn("no report of shard %s", strings.Join(r.Missing, ", "))
	}
	if r.Counted < r.MinCounted {
		a.Warn("%d seeds counted, and --min-counted demands %d", r.Counted, r.MinCounted)
	}
	if r.Exit == cli.ExitDiffers {
		a.Warn("a failing seed gave another history when it was run again; `chubby sim verify` names the event")
	}
}

// every is how often plain progress lines are printed.
const every = 10 * time.Second

// noMore says whether no seed comes behind this one: it is the last one of this
// shard that there is.
func noMore(seed, shards uint64) bool { return seed > math.MaxUint64-max(1, shards) }
