package simcmd

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
)

// report is the JSON form of `chubby sim`.
type report struct {
	Build       runner.Build    `json:"build"`
	Options     runner.Settings `json:"options"`               // of the first seed; those of the other seeds differ only in the seed
	From        uint64          `json:"from"`                  // the first seed
	Shard       string          `json:"shard"`                 // such as 3/8; "": all seeds
	Asked       uint64          `json:"asked"`                 // requested number of counted seeds, of all shards together; 0: no number
	Shards      []string        `json:"shards,omitempty"`      // shards whose reports sim merge has read
	Missing     []string        `json:"missing,omitempty"`     // shards of which sim merge had no report
	Totals      runner.Totals   `json:"totals"`                // the numbers of all seeds
	Failures    []failedSeed    `json:"failures"`              // the failing seeds, in order
	Runs        []runner.Run    `json:"runs,omitempty"`        // with --shard: all seeds of the shard, for sim merge
	EndedBy     runner.End      `json:"ended_by"`              // why no more seeds were begun
	Wanted      uint64          `json:"wanted"`                // requested number of counted seeds, of this shard; 0: no number
	Counted     uint64          `json:"counted"`               // seeds that counted
	MinCounted  uint64          `json:"min_counted,omitempty"` // --min-counted
	Interrupted bool            `json:"interrupted"`           // by a signal
	GaveUp      bool            `json:"gave_up"`               // too many seeds were idle
	Exit        int             `json:"exit"`                  // the exit code of the command

	single  *cell.Result              // the result of --seed; nil: the report is of many seeds
	options plan.Options              // of the first seed, for files and command lines
	hashes  runner.Manifest           // of the whole batch
	again   func(plan.Options) string // the command line that runs a seed again
	lost    error                     // why files of --out are missing; nil: all are written
}

// failedSeed is one failure in the report.
type failedSeed struct {
	Seed     uint64 `json:"seed"`
	Property string `json:"property"` // "" for a crash
	// Conformance says that the run broke a rule of this implementation, which exists to keep Property.
	Conformance bool `json:"conformance,omitempty"`

	Internal  bool   `json:"internal,omitempty"`    // the simulator panicked: no verdict
	Meaning   string `json:"meaning,omitempty"`     // of the property, in a few words
	Text      string `json:"text"`                  // the report of the break
	Stack     string `json:"stack,omitempty"`       // of a panic
	Hash      string `json:"hash"`                  // of the run
	Commit    string `json:"commit,omitempty"`      // the commit at which Reproduce gives this history; "": unknown
	Reproduce string `json:"reproduce"`             // the command that runs the seed again
	Directory string `json:"directory,omitempty"`   // with --out: the directory of the seed's files
	Differs   string `json:"second_hash,omitempty"` // the hash of the run that wrote the directory, if it differs

	Case *caseOf `json:"case,omitempty"` // the shrunk failure, if this one was shrunk

	events uint64 // until it broke
}

// shortest returns the failure to shrink and explain: the one with the fewest events, because its runs and its story are
// shortest. nil: no failure has a verdict.
func (r *report) shortest() (best *failedSeed) {
	for i := range r.Failures {
		if f := &r.Failures[i]; !f.Internal && f.Differs == "" && (best == nil || f.events < best.events) {
			best = f
		}
	}
	return best
}

// simRun is one run of `chubby sim`.
type simRun struct {
	*app
	f *simFlags
}

// run runs one seed or many.
func (a simRun) run(ctx context.Context) error {
	if err := a.f.check(); err != nil {
		return err
	}
	o, err := a.f.options(a.o.With)
	if err != nil {
		return err
	}
	if a.f.asked("seed") {
		o.Seed = a.f.seed
		if a.f.trace {
			return a.trace(o)
		}
		a.f.from, a.f.seeds, a.f.maxFailures = a.f.seed, 0, 0
	}
	if err := a.checkPage(a.f.page, a.f.asked("page")); err != nil {
		return err
	}
	shard, shards, err := parseShard(a.f.shard)
	if err != nil {
		return err
	}
	if a.f.out != "" {
		if err := cli.Writable(a.f.out); err != nil {
			return cli.Usage("--out: %v", err)
		}
		if _, err := os.Stat(filepath.Join(a.f.out, runner.ManifestFile)); err == nil {
			a.Warn("--out %s: has files of an earlier run; those with the same names are replaced, the others stay", a.f.out)
		}
	}
	c := runner.Batch{
		Options: o, From: a.f.from, Seeds: a.f.seeds, For: a.f.duration, Jobs: a.f.jobs,
		Shard: shard, Shards: shards, MaxFailures: a.f.maxFailures,
	}
	if a.f.duration > 0 && !a.f.asked("seeds") {
		c.Seeds = 0
	} else if shards > 0 && c.Seeds > 0 {
		if c.Seeds = part(a.f.seeds, shard, shards); c.Seeds == 0 {
			return cli.Usage("--seeds %d --shard %s: fewer seeds than shards", a.f.seeds, a.f.shard)
		}
	}
	if !a.f.asked("seed") {
		if err := cli.CheckRange(a.f.from, c.Seeds); err != nil {
			return err
		}
	}
	asked := a.f.seeds
	if c.Seeds == 0 {
		asked = 0
	}
	o.Seed = a.f.from
	r := report{Build: a.build(), Options: runner.SettingsOf(o), From: a.f.from, Shard: a.f.shard, Asked: asked, MinCounted: a.f.minCounted, Failures: []failedSeed{}, options: o, again: a.reproduce}
	r.hashes = runner.NewManifest(r.Build, o)
	if a.f.asked("seed") {
		if err := a.one(&r); err != nil {
			return err
		}
	} else {
		a.many(ctx, c, &r)
	}
	return a.finish(ctx, &r)
}

// one runs the single seed of --seed.
func (a simRun) one(r *report) error {
	began := a.now()
	var t runner.Tally
	res, err := a.paged(a.f.page, r.options, page.About{Command: a.reproduce(r.options)})
	if err != nil {
		return err
	}
	r.take(&t, &res)
	r.single = &res
	r.Totals, r.EndedBy = t.Totals(a.now().Sub(began)), runner.EndSeeds
	return nil
}

// patience is how many idle seeds a batch accepts for each requested counted seed before it gives up.
const patience = 4

// many runs a batch.
func (a simRun) many(ctx context.Context, c runner.Batch, r *report) {
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

// take adds the result of a seed to the report.
func (r *report) take(t *runner.Tally, res *cell.Result) {
	t.Add(*res)
	r.hashes.Add(res)
	if r.Shard != "" {
		r.Runs = append(r.Runs, runner.RunOf(res))
	}
	if res.Failed() {
		o := r.options
		o.Seed = res.Seed
		meaning := ""
		if !res.Internal && res.Breach.ID != "" {
			meaning = res.Breach.Meaning(o.With)
		}
		r.Failures = append(r.Failures, failedSeed{
			Meaning: meaning,
			Seed:    res.Seed, Property: res.Breach.ID, Conformance: res.Breach.Conformance, Internal: res.Internal, Text: res.Breach.Text, Stack: res.Stack, Hash: res.Hash, Commit: commitOf(r.Build), Reproduce: r.again(o), events: res.Events,
		})
	}
}

// finish writes the files of --out, shrinks the shortest failure, and prints the report, also if files cannot be written.
// Its error has the exit code.
func (a simRun) finish(ctx context.Context, r *report) error {
	if a.f.out != "" {
		r.lost = a.leave(r)
	}
	if r.lost == nil {
		r.lost = a.shrinks(ctx, r)
	}
	return teller{a.app}.tell(a.f.form, a.f.more, r)
}

// reached says how many seeds counted.
func (r *report) reached() string {
	if r.Wanted == 0 {
		return fmt.Sprintf("%d counted", r.Counted)
	}
	return fmt.Sprintf("%d counted of %d wanted", r.Counted, r.Wanted)
}

// code returns the exit code: the most serious outcome. A panic of the simulator is more serious than anything that the
// run found, and so are missing files. An interrupt counts even if nothing else happened.
func (r *report) code() int {
	if r.Totals.Internal > 0 || r.lost != nil {
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

// every is how often plain progress lines are printed.
const every = 10 * time.Second

// noMore reports whether this is the last seed of its shard: the next one would exceed the range of seeds.
func noMore(seed, shards uint64) bool { return seed > math.MaxUint64-max(1, shards) }
