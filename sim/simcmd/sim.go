package simcmd

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/moments"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// simFlags are the flags of `chubby sim`.
type simFlags struct {
	cellFlags
	seed        uint64
	seeds, from uint64
	duration    time.Duration // --for
	jobs        int
	shard       string
	maxFailures int
	minCounted  uint64
	trace       bool
	until       uint64
	node        string
	page        string
	lines       moments.Filter
	out         string
	shrink      time.Duration
	more        bool
	form        cli.Form

	asked func(flag string) bool // whether the command line has the flag
}

// cellFlags are the flags that configure cells, shared by the commands that run seeds.
type cellFlags struct {
	replicas, clients int
	length            time.Duration // --duration
	faults, workload  string
	judge             string
	set               []string // tunables
}

func (f *cellFlags) register(c *cobra.Command) {
	c.Flags().IntVar(&f.replicas, "replicas", 0, "replicas of each cell, 1 to 7 (0: drawn, 3 to 7)")
	c.Flags().IntVar(&f.clients, "clients", 0, "client machines of each cell, 1 to 64 (0: drawn)")
	c.Flags().DurationVar(&f.length, "duration", 0, "simulated time with faults (0: 60s); seeds with less than 60s do not count")
	cli.AtMost(c, "duration", plan.MaxDuration)
	c.Flags().StringVar(&f.faults, "faults", "swarm", "swarm (drawn by seed), all (every family in every seed), none, or names separated by commas; see chubby sim list")
	c.Flags().StringVar(&f.workload, "workload", "", "what clients do (default: drawn from the seed); see chubby sim list")
	c.Flags().StringVar(&f.judge, "judge", "", "judge only this property, such as S4; others that break are not reported, crashes are")
	c.Flags().StringSliceVar(&f.set, "set", nil, "tunables with fixed values, such as master-lease=4s,window=1; see chubby sim list")
}

// options checks the flags and returns their options.
func (f *cellFlags) options(with *scenario.Extension) (plan.Options, error) {
	if f.faults == "" {
		return plan.Options{}, cli.Usage("--faults is empty: swarm, all, none, or names separated by commas")
	}
	if f.clients < 0 || f.clients > plan.MaxClients {
		return plan.Options{}, cli.Usage("--clients %d: 0 to %d", f.clients, plan.MaxClients)
	}
	faults, err := plan.ParseFaults(f.faults, with)
	if err != nil {
		return plan.Options{}, cli.Usage("--faults: %v", err)
	}
	o := plan.Options{Replicas: f.replicas, Clients: f.clients, Duration: f.length, Faults: faults, Workload: f.workload, Tune: f.set, With: with, Judge: f.judge}
	if err := errors.Join(o.Check(), cell.CheckJudge(f.judge, with)); err != nil {
		return o, cli.Usage("%v", err)
	}
	return o, nil
}

func (a *app) simCommand() *cobra.Command {
	f := &simFlags{}
	c := &cobra.Command{
		Use:   "sim",
		Short: "Simulate cells under faults and check everything they do",
		Long: `Sim runs seeds. Each seed draws a cell of 3 to 7 replicas with clients, tunables and
faults. The cell runs for at least a minute of simulated time; then all faults end,
and the cell must make progress. Every property is checked (chubby sim list). A seed
has one history, the same on every machine. It counts if it simulated 60 s and answered
500 calls, a fifth of them on the contended row. Other clean seeds are idle: they do not
count towards --seeds.

The run ends at --seeds counted seeds, after --for of real time, or at
--max-failures failing seeds, whichever comes first. With --for alone there is no
other end. The run gives up with exit code 3 when there were four idle seeds for each
requested seed. It prints failing seeds first, then the totals of all seeds, then the
faults; with -v also medians and the counters of rare situations. With --seed N it prints
only the numbers of that seed. The last line says what ended the run, and how many of the
requested seeds counted. If fewer counted, a line on stderr says so; the exit code is
still 0 unless fewer than --min-counted did: then it is 3.

With --judge P it judges only property P: breaks of other properties are not reported
and end no seed. A checker can thus be seen at work where another one would report first.
A crash, by an invariant or otherwise, is still reported.

With --seed S it runs only that seed. With --trace it prints the plan of the seed, and then
everything that happens in it: event, true time, machine, its local time, kind, text.
Replicas are n1, n2, ..., clients c1, c2, ... Besides messages, disks and faults there are
lines of the kinds believes (a machine changes its mind on which one leads, serves or holds
a lock, or a client on its session: jeopardy, safe again, over), durable (a record is on a
disk), executes (the log executes a command) and told (a program's call has returned). --kind, --node, --slot, --about, --since and --before together
print only lines that match all of them. --about follows a call to its answer and command,
and a node to the operations on its handles. If no line matches, stderr says so; if
no line has a given kind, it also lists the existing kinds.

With --seed S and --page FILE it writes that seed, failed or not, as one HTML file: lanes
of replicas and clients along time, messages, faults, leaders, leases, sessions, and the
possible causes of a break, with search and filters. docs/pages.md explains the page.

-o json prints one object:
  schema                        chubby-sim-1
  build, options, from, shard   what ran; asked: --seeds, of all shards together
  totals                        the numbers of the table, durations in ns
  failures[]                    seed, property ("" for a crash), text, stack,
                                hash, commit, reproduce, directory (with --out),
                                case (of the seed that was shrunk)
  runs[]                        with --shard, for chubby sim merge: each seed with
                                its hash, verdict and numbers
  shards, missing               of chubby sim merge: shards read, shards missing
  ended_by                      seeds, time (--for), failures (--max-failures),
                                last (no larger seed is left), interrupt, or
                                idle (it gave up)
  wanted, counted, min_counted  counted seeds; wanted 0: no number was wanted
  interrupted, gave_up, exit    how it ended
Fields are added over time, never renamed or removed. The field schema names the JSON
Schema, docs/schema/chubby-sim-1.json. -o junit prints the same run for CI systems:
one case for each failing seed, with its story, and one for the run.

--out DIR gets manifest.json (build, options, the hash of each seed), and for
each failing seed, and the one of --seed, a directory seed-S with trace.txt,
page.html, history.jsonl (the calls of the clients, for chubby check), locks.jsonl (the
calls on locks, if there were any, for --model lock), history.html (Porcupine's
picture of a history of at most 1,000 calls; page_error in the manifest says why there
is none) and a manifest.json that chubby sim replay reads. The failure with the fewest
events is also shrunk, for at most a minute (--shrink): faults are left out, then clients,
programs, replicas and time, as long as the same property breaks by the same check.
shrunk.json is the result, for chubby sim replay; shrunk-trace.txt and shrunk-page.html show
what happens in it. The story.txt of a failing seed tells in at most 20 lines how the break
came about; that of the shrunk one is of the case, and on the screen, too. An interrupt ends the search, and keeps what it has found. Give each
run a directory of its own: in that of an earlier run, files with the same names are
replaced and the others stay, of which a warning tells.

` + cli.ExitHelp,
		Example: `  chubby sim
  chubby sim --for 10m --jobs 2 --out failures
  chubby sim --seeds 10000 --shard 3/8 -o json
  chubby sim --seed 42 --trace --until 20000 --node n1
  chubby sim --seed 42 --trace --slot 17 --since 3s
  chubby sim --seed 42 --trace --about /ls/local/ --kind call,answer,executes,told
  chubby sim --seed 42 --page 42.html
  chubby sim --faults partition,crash --workload increments`,
		Args: cli.NoOther,
		RunE: func(c *cobra.Command, _ []string) error {
			f.asked = c.Flags().Changed
			if err := checkOut(c); err != nil {
				return err
			}
			return simRun{a, f}.run(c.Context())
		},
	}
	f.register(c)
	f.cellFlags.register(c)
	c.Flags().StringVar(&f.out, "out", "", "directory for the files of failing seeds")
	c.Flags().DurationVar(&f.shrink, "shrink", defaultShrink, "real time for shrinking a failure, with --out or if this flag is given (0: do not shrink)")
	registerMore(c, &f.more)
	f.form.RegisterJudged(c)
	c.Flags().SortFlags = false
	return c
}

func (f *simFlags) register(c *cobra.Command) {
	c.Flags().Uint64Var(&f.seeds, "seeds", defaultSeeds, "number of counted seeds, of all shards together (0: no limit)")
	c.Flags().Uint64Var(&f.from, "from", 1, "first seed")
	c.Flags().DurationVar(&f.duration, "for", 0, "real time after which no seed starts, such as 5m (0: no limit)")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "seeds at a time (0: one per processor)")
	c.Flags().StringVar(&f.shard, "shard", "", "this machine's part of the seeds, such as 3/8; chubby sim merge combines all parts")
	c.Flags().IntVar(&f.maxFailures, "max-failures", 10, "failing seeds after which no seed starts (0: no limit)")
	c.Flags().Uint64Var(&f.minCounted, "min-counted", 0, "exit with code 3 if fewer seeds of this shard counted")
	c.Flags().Uint64Var(&f.seed, "seed", 0, "run only this seed")
	c.Flags().BoolVar(&f.trace, "trace", false, "with --seed: print every event")
	c.Flags().Uint64Var(&f.until, "until", 0, "with --trace: the last event to print")
	c.Flags().StringSliceVar(&f.lines.Kinds, "kind", nil, "with --trace: print only these kinds of lines or messages, such as fault,believes,accept")
	c.Flags().Uint64Var(&f.lines.Slot, "slot", 0, "with --trace: print lines that name this slot")
	c.Flags().StringVar(&f.lines.About, "about", "", "with --trace: print lines with this text, such as a path, and follow its calls and handles")
	c.Flags().DurationVar(&f.lines.From, "since", 0, "with --trace: the true time from which to print, such as 3.5s")
	c.Flags().DurationVar(&f.lines.Until, "before", 0, "with --trace: the true time up to which to print")
	c.Flags().StringVar(&f.page, "page", "", "with --seed: write the run as one HTML file that a browser shows without a network")
	c.Flags().StringVar(&f.node, "node", "", "with --trace: print only this machine, such as n2 or c1")
}

func registerMore(c *cobra.Command, more *bool) {
	c.Flags().BoolVarP(more, "verbose", "v", false, "also print medians of counted seeds, and how often each kind of fault struck and each rare situation was reached (always in JSON)")
}

const defaultSeeds = 200

// ofTrace are the flags that select lines of a trace.
var ofTrace = []string{"until", "node", "kind", "slot", "about", "since", "before"}

// check refuses invalid values, and flags that do not go together.
func (f *simFlags) check() error {
	if err := f.form.CheckJudged(); err != nil {
		return err
	}
	if f.asked("seed") {
		for _, other := range []string{"seeds", "from", "for", "jobs", "shard", "max-failures", "min-counted"} {
			if f.asked(other) {
				return cli.Usage("--%s does not go with --seed, which runs one seed", other)
			}
		}
	}
	switch {
	case f.trace && !f.asked("seed"):
		return cli.Usage("--trace needs --seed: a trace is of one seed")
	case f.asked("page") && !f.asked("seed"):
		return cli.Usage("--page needs --seed: a page is of one seed; with --out, failing seeds leave theirs")
	case f.asked("page") && f.trace:
		return cli.Usage("--page does not go with --trace: run the seed twice, its history is the same")
	case f.trace && f.form != "table":
		return cli.Usage("--trace does not go with -o %s: a trace is text", f.form)
	case !f.trace && slices.ContainsFunc(ofTrace, f.asked):
		return cli.Usage("%s need --trace", "--"+strings.Join(ofTrace, ", --"))
	case f.lines.From < 0 || f.lines.Until < 0 || f.lines.Until > 0 && f.lines.Until < f.lines.From:
		return cli.Usage("--since %v --before %v: both must be at least 0, and --before not below --since", f.lines.From, f.lines.Until)
	case f.asked("slot") && f.lines.Slot == 0:
		return cli.Usage("--slot 0: slots of the log count from 1")
	case f.asked("until") && f.until == 0:
		return cli.Usage("--until 0: events count from 1")
	case f.asked("before") && f.lines.Until == 0:
		return cli.Usage("--before 0s: must be above 0")
	case f.asked("about") && f.lines.About == "":
		return cli.Usage("--about is empty: name a text, such as a path")
	case f.asked("kind") && (len(f.lines.Kinds) == 0 || slices.Contains(f.lines.Kinds, "")):
		return cli.Usage("--kind: a kind is empty; name kinds, such as fault,believes")
	case f.maxFailures < 0:
		return cli.Usage("--max-failures %d: must be at least 0", f.maxFailures)
	case f.duration < 0:
		return cli.Usage("--for %v: must be at least 0", f.duration)
	case f.asked("seeds") && f.seeds == 0 && f.duration == 0 && (!f.asked("max-failures") || f.maxFailures == 0):
		return cli.Usage("--seeds 0 would never end: add --for or --max-failures")
	}
	if err := f.checkShrink(); err != nil {
		return err
	}
	return cli.CheckJobs(f.jobs)
}

// maxShards bounds the shards of a run: merge names each that is missing.
const maxShards = 10_000

// parseShard reads "3/8".
func parseShard(s string) (shard, shards uint64, err error) {
	if s == "" {
		return 0, 0, nil
	}
	this, all, _ := strings.Cut(s, "/")
	shard, err1 := strconv.ParseUint(this, 10, 64)
	shards, err2 := strconv.ParseUint(all, 10, 64)
	if err1 != nil || err2 != nil || shard < 1 || shard > shards {
		return 0, 0, cli.Usage("--shard %q: such as 3/8, from 1/8 to 8/8", s)
	}
	if shards > maxShards {
		return 0, 0, cli.Usage("--shard %q: at most %d shards", s, maxShards)
	}
	return shard, shards, nil
}

// part returns how many of n seeds belong to one shard.
func part(n, shard, shards uint64) uint64 {
	share := n / shards
	if shard <= n%shards {
		share++
	}
	return share
}

// parseNode reads a --node; "" is 0.
func parseNode(s string) (sim.Addr, error) {
	if s == "" {
		return 0, nil
	}
	a, err := moments.ParseMachine(s)
	if err != nil {
		return 0, cli.Usage("--node %v", err)
	}
	return a, nil
}
