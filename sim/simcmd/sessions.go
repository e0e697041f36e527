package simcmd

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/crowd"
	"github.com/chubbycell/chubby/sim/runner"
)

const mostSpan = 24 * time.Hour // of simulated time

type sessionsFlags struct {
	seed               uint64
	replicas, sessions int
	leases             []time.Duration
	span               time.Duration
	out                string
	form               cli.Form
}

// crowded is the JSON form of `chubby sim experiment sessions`.
type crowded struct {
	Experiment  string       `json:"experiment"`
	Build       runner.Build `json:"build"`
	Seed        uint64       `json:"seed"`
	Replicas    int          `json:"replicas"`
	Leases      []crowdPoint `json:"leases"`
	Files       []string     `json:"files"`
	Interrupted bool         `json:"interrupted"`
	Exit        int          `json:"exit"`
}

// crowdRun is the interface of cell.Crowd. Tests of the command have a cheap fake.
type crowdRun interface {
	Gather() error
	RunFor(d time.Duration) error
	Counts() crowd.Counts
	Memory() (replica, master int64)
	Close()
}

func newCrowd(o crowd.Options) crowdRun { return cell.NewCrowd(o) }

// crowdPoint is the measurements for one length of leases.
type crowdPoint struct {
	Lease time.Duration `json:"lease_ns"`
	crowd.Counts
	Gathered  time.Duration `json:"gathered_ns"` // real time until all sessions were open
	Elapsed   time.Duration `json:"elapsed_ns"`  // real time since then
	Processor time.Duration `json:"processor_ns"`
	Ratio     float64       `json:"real_time_ratio"`
	OfCPU     float64       `json:"processor_ratio"` // simulated time divided by processor time, which includes garbage collection and kernel
	PerSecond float64       `json:"keepalives_per_second"`
	PerLease  float64       `json:"keepalives_per_session_and_lease"`
	Share     float64       `json:"keepalive_share"` // share of all requests, which include those that open the sessions
	Rows      int64         `json:"replica_bytes_per_session"`
	Master    int64         `json:"master_bytes_per_session"` // includes rows and log
}

func (a *app) sessionsCommand() *cobra.Command {
	f := &sessionsFlags{}
	c := &cobra.Command{
		Use:   "sessions",
		Short: "Measure many idle sessions on one master: speed, KeepAlives, memory",
		Long: `Sessions fills a cell without faults with idle sessions, each with one handle open, and
runs it for --for of simulated time. For each length of leases it prints: the speed
relative to real time, by the wall clock and by processor time; KeepAlives per second,
per session and lease, and as a share of all requests; and the memory of a session, at
a replica and at the master.

Replicas, masters, disks, messages and the state machine of each session are the
shipped code in its default configuration. The sessions share one machine, one clock,
and the bundles that carry their messages.

The exit code is 1 if a session was lost, or a property or invariant broke.

` + cli.ExitHelp,
		Example: "  chubby sim experiment sessions\n  chubby sim experiment sessions --sessions 500 --lease 12s --for 5m",
		Args:    cli.None(""),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkOut(c); err != nil {
				return err
			}
			return sessionsRun{a, f}.run(c.Context())
		},
	}
	c.Flags().Uint64Var(&f.seed, "seed", 1, "the seed")
	c.Flags().IntVar(&f.replicas, "replicas", 5, "replicas of the cell")
	c.Flags().IntVar(&f.sessions, "sessions", 90_000, "number of sessions")
	c.Flags().DurationSliceVar(&f.leases, "lease", []time.Duration{12 * time.Second, 30 * time.Second, time.Minute}, "lengths of leases, one run for each")
	c.Flags().DurationVar(&f.span, "for", time.Hour, "simulated time, from when all sessions are open")
	cli.AtMost(c, "for", mostSpan)
	cli.AtMost(c, "lease", time.Minute) // see crowd.Options
	c.Flags().StringVar(&f.out, "out", "", "directory for a table")
	f.form.Register(c)
	c.Flags().SortFlags = false
	return c
}

func (f *sessionsFlags) options(lease time.Duration) crowd.Options {
	return crowd.Options{Seed: f.seed, Replicas: f.replicas, Sessions: f.sessions, Lease: lease}
}

func (f *sessionsFlags) check() error {
	if err := f.form.Check(); err != nil {
		return err
	}
	if f.span < time.Second || f.span > mostSpan {
		return cli.Usage("--for %v: between 1s and 24h", f.span)
	}
	for _, l := range f.leases {
		if err := f.options(l).Check(); err != nil {
			return cli.Usage("%v", err)
		}
	}
	if f.out != "" {
		if err := cli.Writable(f.out); err != nil {
			return cli.Usage("--out: %v", err)
		}
	}
	return nil
}

// sessionsRun is one run of `chubby sim experiment sessions`.
type sessionsRun struct {
	*app
	f *sessionsFlags
}

func (a sessionsRun) run(ctx context.Context) error {
	if err := a.f.check(); err != nil {
		return err
	}
	// Most memory of a crowd is long-lived, so frequent garbage collections would free little.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	m := crowded{Experiment: "sessions", Build: a.build(), Seed: a.f.seed, Replicas: a.f.replicas, Leases: []crowdPoint{}, Files: []string{}}
	for _, l := range a.f.leases {
		p, err := a.keepAlive(ctx, l)
		switch {
		case ctx.Err() != nil:
			m.Exit = cli.ExitInterrupted
		case err != nil:
			a.Warn("leases of %v: %v", l, err)
			m.Exit = cli.ExitBroken
		case p.Lost > 0:
			a.Warn("leases of %v: %d sessions were lost", l, p.Lost)
			m.Exit = cli.ExitBroken
		}
		if p.Simulated > 0 {
			m.Leases = append(m.Leases, p)
		}
		if m.Interrupted = ctx.Err() != nil; m.Interrupted {
			a.Warn("interrupted; these are the lengths of leases that were begun before")
			break
		}
	}
	if a.f.out != "" {
		if err := m.leave(a.f.out); err != nil {
			m.Exit = cli.ExitInternal
			defer explainLost(&a.Streams, err)
		}
	}
	if err := a.print(&m); err != nil {
		return err
	}
	return cli.Exit(m.Exit)
}

// keepAlive runs one length of leases, until ctx ends.
func (a sessionsRun) keepAlive(ctx context.Context, lease time.Duration) (p crowdPoint, err error) {
	x := a.crowd(a.f.options(lease))
	defer x.Close()
	p.Lease = lease
	began := a.now()
	if err := x.Gather(); err != nil {
		return p, err
	}
	p.Gathered = a.now().Sub(began)
	a.Say("%4.0f s  leases of %v: %d sessions are there", p.Gathered.Seconds(), lease, a.f.sessions)
	began, cpu := a.now(), a.processor()
	err = a.advance(ctx, fmt.Sprintf("leases of %v", lease), a.f.span, 10*time.Second, x.RunFor)
	p.Elapsed, p.Processor = a.now().Sub(began), a.processor()-cpu
	p.judge(x.Counts())
	if err == nil {
		rows, master := x.Memory()
		p.Rows, p.Master = rows/int64(p.Sessions), master/int64(p.Sessions)
	}
	return p, err
}

// judge computes the ratios from the counts.
func (p *crowdPoint) judge(c crowd.Counts) {
	p.Counts = c
	simulated := c.Simulated.Seconds()
	per := func(a, b float64) float64 {
		if b <= 0 {
			return 0
		}
		return a / b
	}
	p.Ratio, p.OfCPU = per(simulated, p.Elapsed.Seconds()), per(simulated, p.Processor.Seconds())
	p.PerSecond = per(float64(c.KeepAlives), simulated)
	p.PerLease = per(p.PerSecond*p.Lease.Seconds(), float64(c.Sessions))
	p.Share = per(float64(c.Kept), float64(c.Requests))
}

// fields returns the rows of the table, with the heads of columns first.
func (m *crowded) fields() [][]string {
	all := [][]string{{"lease", "sessions", "simulated", "real", "times real", "of a processor", "times that",
		"keepalives/s", "each in a lease", "of requests", "jeopardy", "lost", "bytes: replica", "master"}}
	for _, p := range m.Leases {
		all = append(all, []string{
			p.Lease.String(), strconv.Itoa(p.Sessions), p.Simulated.String(),
			p.Elapsed.Round(100 * time.Millisecond).String(), fmt.Sprintf("%.1f", p.Ratio),
			p.Processor.Round(100 * time.Millisecond).String(), fmt.Sprintf("%.1f", p.OfCPU),
			fmt.Sprintf("%.0f", p.PerSecond), fmt.Sprintf("%.2f", p.PerLease), fmt.Sprintf("%.1f %%", 100*p.Share),
			strconv.FormatUint(p.Jeopardy, 10), strconv.FormatUint(p.Lost, 10),
			strconv.FormatInt(p.Rows, 10), strconv.FormatInt(p.Master, 10),
		})
	}
	return all
}

func (a sessionsRun) print(m *crowded) error {
	if a.f.form == "json" {
		return a.Document(sessionsSchema, m)
	}
	t := cli.NewNumbers(a.Out)
	for _, row := range m.fields() {
		for _, s := range row {
			t.Row("%s\t", s)
		}
		t.Row("\n")
	}
	if err := t.End(); err != nil {
		return err
	}
	for _, path := range m.Files {
		a.Say("written %s", path)
	}
	return nil
}

// leave writes the file of --out: sessions.csv, whose columns have the names of the JSON fields.
func (m *crowded) leave(dir string) error {
	path := filepath.Join(dir, "sessions.csv")
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	rows := [][]string{{"lease_s", "sessions", "simulated_s", "elapsed_s", "processor_s", "real_time_ratio", "processor_ratio", "keepalives_per_second",
		"keepalives_per_session_and_lease", "keepalive_share", "jeopardy", "lost", "replica_bytes_per_session", "master_bytes_per_session"}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }
	for _, p := range m.Leases {
		rows = append(rows, []string{number(p.Lease.Seconds()), strconv.Itoa(p.Sessions), number(p.Simulated.Seconds()), number(p.Elapsed.Seconds()),
			number(p.Processor.Seconds()), number(p.Ratio), number(p.OfCPU), number(p.PerSecond), number(p.PerLease), number(p.Share),
			strconv.FormatUint(p.Jeopardy, 10), strconv.FormatUint(p.Lost, 10), strconv.FormatInt(p.Rows, 10), strconv.FormatInt(p.Master, 10)})
	}
	err = csv.NewWriter(file).WriteAll(rows)
	if e := file.Close(); err == nil {
		err = e
	}
	if err == nil {
		m.Files = append(m.Files, filepath.ToSlash(path))
	}
	return err
}
