package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/torture"
)

// tortured is the command torture.
type tortured struct {
	cli.Streams
	cfg    torture.Config
	faults []string
	out    string
	form   cli.Form
	seeded bool // the seed was given
	other  bool // another program runs the replicas
}

func tortureCommand() *cobra.Command {
	t := &tortured{}
	c := &cobra.Command{
		Use:   "torture",
		Short: "Run servers and clients, make both fail, and check what the clients saw",
		Long: `Torture starts the replicas of a new cell as processes of this program, on the loopback
interface and in a directory of its own, and clients that call them. While the clients work,
it injects one fault after the other, and then checks what the clients saw: for instance that
calls are linearizable, that no acknowledged write is lost, and that holders of a lock exclude
each other. It touches no other cell. docs/torture.md lists the checks.

Faults:
` + kindHelp() + `
A replica that is killed (kill, power) loses all that it has not synced, like a machine that
loses power, unless --power-loss=false.

The seed decides which faults there are, and when. What then happens depends on the machine,
so a run that fails may not fail again with the same seed.

Torture prints a report. With -o json that is one object: verdict, violations (property, text,
file), seed, seconds, replicas, clients, faults (by kind), kills, failovers, operations, rows,
files, locks, events, unknown, failed, sessions_lost, longest_gap_seconds,
longest_gap_during, histories, undecided, placed, slots, holes, dir, first_broken_seconds;
docs/schema/chubby-torture-1.json describes it. With -o junit it is a report for CI systems:
a case for each property, and one for the run.

If a property breaks, the run ends, and its directory stays, with the histories, the logs and
files of the replicas, and the faults: that of --out, or else a temporary one. It also stays
if the run is undecided. Otherwise the directory is removed, also that of --out.

Exit codes:
    0  clean
    1  a property broke
    2  usage: bad flags, or a directory of --out that is not empty
    3  undecided: a check gave up, or no call was answered
    5  internal error: the cell did not start, or the machine or the program failed
  130  interrupted; what was found so far is printed`,
		Example: `  chubby torture
  chubby torture --for 20m --replicas 5 --seed 7 --out failures
  chubby torture --faults power,pause --session-lease 2s`,
		Args: cli.None(""),
		RunE: func(c *cobra.Command, _ []string) error {
			cli.EndOnHangup(c.Context())
			t.Streams, t.seeded = cli.StreamsOf(c), c.Flags().Changed("seed")
			if err := named(c, "server", "out", "faults"); err != nil {
				return err
			}
			return t.run(c.Context())
		},
	}
	f := c.Flags()
	f.DurationVar(&t.cfg.For, "for", time.Minute, "how long faults are injected; the whole run takes a little longer")
	f.Uint64Var(&t.cfg.Seed, "seed", 0, "decides which faults there are, and when (default: another one each time)")
	f.IntVar(&t.cfg.Replicas, "replicas", 3, "number of replicas: 3, 5, 7 or 9")
	f.IntVar(&t.cfg.Clients, "clients", 6, "number of client sessions, 2 to 64; each makes several calls at a time")
	f.StringSliceVar(&t.faults, "faults", kindNames(), "kinds of faults, separated by commas; none: the cell runs undisturbed")
	f.DurationVar(&t.cfg.Lease, "session-lease", 3*time.Second, "lease of the clients' sessions, 1s to 1m")
	f.BoolVar(&t.cfg.Volatile, "power-loss", true, "a killed replica loses what it has not synced; false: it loses nothing")
	f.StringVar(&t.cfg.Server, "server", "", "program that runs the replicas, another build of chubby (default: this program)")
	f.StringVar(&t.out, "out", "", "empty or new directory for the run, kept only if a property breaks or a check is undecided (default: a temporary one)")
	t.form.RegisterJudged(c)
	return c
}

func kindNames() (names []string) {
	for _, k := range torture.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// kindHelp is a line for each kind of fault.
func kindHelp() string {
	var text strings.Builder
	for _, k := range torture.Kinds() {
		fmt.Fprintf(&text, "    %-7s  %s\n", k, torture.Help(k))
	}
	return text.String()
}

func (t *tortured) run(ctx context.Context) error {
	serviceMemory()
	if err := t.prepare(); err != nil {
		return err
	}
	keep := false
	defer func() {
		if !keep {
			os.RemoveAll(t.cfg.Dir)
		}
	}()
	report, err := torture.Run(ctx, t.cfg)
	if err != nil {
		keep = true
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			keep = false
			return cli.Interrupted()
		}
		return cli.Internal(fmt.Errorf("%w; see %s", err, t.cfg.Dir))
	}
	code := exitOf(report)
	keep = report.Dir != ""
	if err := t.print(report); err != nil {
		return err
	}
	return cli.Exit(code)
}

// exitOf is the exit code of a report.
func exitOf(r *torture.Report) int {
	switch {
	case r.Verdict == torture.Broken:
		return cli.ExitBroken
	case r.Verdict == torture.Interrupted:
		return cli.ExitInterrupted
	case r.Verdict == torture.Undecided || r.Operations == 0:
		return cli.ExitUndecided
	}
	return cli.ExitClean
}

// prepare checks the flags, and makes the directory.
func (t *tortured) prepare() (err error) {
	if err := t.form.CheckJudged(); err != nil {
		return err
	}
	if !t.seeded {
		t.cfg.Seed = uint64(rand.Uint32())
	}
	if !slices.Equal(t.faults, []string{"none"}) {
		if t.cfg.Kinds, err = torture.ParseKinds(t.faults); err != nil {
			return cli.Usage("%v", err)
		}
	}
	if err := t.cfg.Validate(); err != nil {
		return cli.Usage("%v", err)
	}
	if t.other = t.cfg.Server != ""; !t.other {
		if t.cfg.Server, err = os.Executable(); err != nil {
			return cli.Internal(err)
		}
	}
	if info, err := os.Stat(t.cfg.Server); err != nil || info.IsDir() {
		return cli.Usage("--server %s: there is no such program", t.cfg.Server)
	}
	if t.out == "" {
		t.cfg.Dir, err = os.MkdirTemp("", "chubby-torture-")
	} else if err = os.MkdirAll(t.out, 0o700); err == nil {
		t.cfg.Dir, err = filepath.Abs(t.out)
	}
	if err != nil {
		return cli.Usage("--out: %v", err)
	}
	if have, err := os.ReadDir(t.cfg.Dir); err != nil || len(have) > 0 {
		return cli.Usage("--out %s: give a directory that is empty, or that does not exist", t.out)
	}
	t.cfg.Progress = func(line string) { t.Say("%s", line) }
	return nil
}

// again is the line that runs with the same schedule.
func (t *tortured) again() string {
	line := fmt.Sprintf("%s torture --seed %d --for %v --replicas %d --clients %d --session-lease %v --faults %s", cli.Started("./cmd/chubby"), t.cfg.Seed, t.cfg.For, t.cfg.Replicas, t.cfg.Clients, t.cfg.Lease, strings.Join(t.faults, ","))
	if !t.cfg.Volatile {
		line += " --power-loss=false"
	}
	if t.other {
		line += " --server " + t.cfg.Server
	}
	return line
}

func (t *tortured) print(r *torture.Report) error {
	switch t.form {
	case cli.FormJSON:
		return t.Document(tortureSchema, r)
	case cli.FormJUnit:
		table, err := t.table(r)
		if err != nil {
			return err
		}
		return t.JUnit(t.junit(r, table))
	}
	for _, v := range r.Violations {
		if err := t.Printf("broke: %s: %s\n", v.Property, v.Text); err != nil {
			return err
		}
		if v.File != "" {
			if err := t.Printf("history: %s\n", v.File); err != nil {
				return err
			}
		}
	}
	table, err := t.table(r)
	if err != nil {
		return err
	}
	return t.Printf("%s", table)
}

// table is a report in words, but for what broke.
func (t *tortured) table(r *torture.Report) (string, error) {
	var text strings.Builder
	c := cli.NewColumns(&text)
	c.Row("verdict\t%s\n", r.Verdict)
	c.Row("faults\t%d kills, %d fail-overs; %s\n", r.Kills, r.Failovers, faultText(r.Faults))
	c.Row("operations\t%d: %d on rows, %d on files, %d locks; %d unknown, %d not executed\n", r.Operations, r.Rows, r.Files, r.Locks, r.Unknown, r.Failed)
	c.Row("sessions\t%d lost; %d events heard\n", r.Lost, r.Events)
	c.Row("longest gap\t%.2f s", r.LongestGap)
	if r.GapDuring != "" {
		c.Row(", while: %s", r.GapDuring)
	}
	c.Row("\n")
	c.Row("checked\t%d histories, %d undecided; %d calls found in %d slots of the log\n", r.Histories, r.Undecided, r.Placed, r.Slots)
	if r.Verdict == torture.Broken {
		c.Row("broke after\t%.1f s\n", r.FirstBroken)
	}
	if r.Dir != "" {
		c.Row("directory\t%s\n", r.Dir)
	}
	c.Row("again\t%s\n", t.again())
	err := c.End()
	return text.String(), err
}

// junit is a report as CI systems read it: a case for each property, and one for the run, which
// fails where something is undecided. Of a run that did not end, properties passed as far as it came.
func (t *tortured) junit(r *torture.Report, table string) *cli.JUnit {
	j := cli.NewJUnit("chubby torture", time.Duration(r.Seconds*float64(time.Second)))
	for _, p := range torture.Properties() {
		c := cli.JUnitCase{Name: p.ID + ": " + p.Help}
		var texts []string
		for _, v := range r.Violations {
			if v.Property != p.ID {
				continue
			}
			texts = append(texts, v.Property+" broke: "+v.Text)
			if v.File != "" {
				texts = append(texts, "history: "+v.File)
			}
		}
		if len(texts) > 0 {
			c.Failure = cli.Fault(p.ID, append(texts, "directory: "+r.Dir, t.again())...)
		}
		j.Add(c)
	}
	run := cli.JUnitCase{Name: "run", Time: j.Time, Output: table}
	if code := exitOf(r); code != cli.ExitClean && len(r.Violations) == 0 {
		run.Failure = cli.Fault("run", fmt.Sprintf("exit code %d: %s, %d operations were answered", code, r.Verdict, r.Operations), t.again())
	}
	j.Add(run)
	return j
}

func faultText(counts map[string]int) string {
	var parts []string
	for _, name := range kindNames() {
		if n := counts[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
