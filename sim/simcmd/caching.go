package simcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
)

type cachingFlags struct {
	seed             uint64
	replicas         int
	clients, readers int
	span             time.Duration
	form             cli.Form
}

// cachingReport is the JSON form of `chubby sim experiment caching`.
type cachingReport struct {
	Experiment  string             `json:"experiment"`
	Build       runner.Build       `json:"build"`
	Seed        uint64             `json:"seed"`
	Replicas    int                `json:"replicas"`
	Clients     int                `json:"clients"`
	Readers     int                `json:"readers"`  // clients that read the one file, in the second part
	Off         cell.CachingCounts `json:"off"`      // without caches
	On          cell.CachingCounts `json:"on"`       // with caches
	OneFile     cell.CachingCounts `json:"one_file"` // the second part, with caches
	Fewer       float64            `json:"fewer"`    // requests other than KeepAlives: those without caches divided by those with
	Told        float64            `json:"messages_to_a_cacher_per_write"`
	Back        float64            `json:"messages_back_per_write_and_cacher"`
	Interrupted bool               `json:"interrupted"`
	Exit        int                `json:"exit"`
}

func (a *app) cachingCommand() *cobra.Command {
	f := &cachingFlags{}
	c := &cobra.Command{
		Use:   "caching",
		Short: "What clients ask for, with caches and without, and what a write costs that many have cached",
		Long: `Caching runs a cell without faults whose clients repeatedly open, read and close files,
ask for some that do not exist, and seldom write: once with caches and once without. It
prints the requests that reached the replicas, by kind, beside those that Chubby's authors
saw at a cell of theirs (CHU §4.1).

Then it runs a cell in which all clients read one file, and one of them writes it now and
then. It prints how many messages a write costs: to the clients that have the file in
their caches, and back.

Replicas, clients and the bytes between them are those of the shipped code, in its default
configuration. Exit code 1 says that a numbered property or invariant broke.

` + cli.ExitHelp,
		Example: "  chubby sim experiment caching\n  chubby sim experiment caching --clients 50 --readers 100 --for 1m",
		Args:    cli.None(""),
		RunE:    func(c *cobra.Command, _ []string) error { return cachingRun{a, f}.run(c.Context()) },
	}
	c.Flags().Uint64Var(&f.seed, "seed", 1, "the seed")
	c.Flags().IntVar(&f.replicas, "replicas", 5, "replicas of the cell")
	c.Flags().IntVar(&f.clients, "clients", 100, "clients that read many files")
	c.Flags().IntVar(&f.readers, "readers", 1000, "clients that read the one file")
	c.Flags().DurationVar(&f.span, "for", 5*time.Minute, "simulated time of each of the three runs, from when all clients have filled their caches")
	cli.AtMost(c, "for", mostSpan)
	f.form.Register(c)
	c.Flags().SortFlags = false
	return c
}

func (f *cachingFlags) check() error {
	if err := f.form.Check(); err != nil {
		return err
	}
	if f.span < time.Second || f.span > mostSpan {
		return cli.Usage("--for %v: between 1s and 24h", f.span)
	}
	if f.readers < 1 || f.readers >= cell.MaxCaching {
		return cli.Usage("--readers %d: 1 to %d", f.readers, cell.MaxCaching-1)
	}
	if err := f.options(true, false).Check(); err != nil {
		return cli.Usage("%v", err)
	}
	return nil
}

func (f *cachingFlags) options(cached, one bool) cell.CachingOptions {
	o := cell.CachingOptions{Seed: f.seed, Replicas: f.replicas, Clients: f.clients, Cached: cached, OneFile: one}
	if one {
		o.Clients = f.readers + 1
	}
	return o
}

// cachingRun is one run of the experiment.
type cachingRun struct {
	*app
	f *cachingFlags
}

func (a cachingRun) run(ctx context.Context) error {
	if err := a.f.check(); err != nil {
		return err
	}
	m := cachingReport{Experiment: "caching", Build: a.build(), Seed: a.f.seed, Replicas: a.f.replicas, Clients: a.f.clients, Readers: a.f.readers}
	for _, part := range []struct {
		name        string
		cached, one bool
		to          *cell.CachingCounts
	}{{"without caches", false, false, &m.Off}, {"with caches", true, false, &m.On}, {"one file", true, true, &m.OneFile}} {
		n, err := a.part(ctx, part.name, a.f.options(part.cached, part.one))
		*part.to = n
		switch {
		case ctx.Err() != nil:
			m.Interrupted, m.Exit = true, cli.ExitInterrupted
		case err != nil:
			a.Warn("%s: %v", part.name, err)
			m.Exit = cli.ExitBroken
		}
		if m.Interrupted {
			a.Warn("interrupted; these are the parts that were begun before")
			break
		}
	}
	m.judge()
	if a.f.form == "json" {
		if err := a.Document(cachingSchema, &m); err != nil {
			return err
		}
	} else if err := a.print(&m); err != nil {
		return err
	}
	return cli.Exit(m.Exit)
}

// part runs one cell, until ctx ends.
func (a cachingRun) part(ctx context.Context, name string, o cell.CachingOptions) (cell.CachingCounts, error) {
	x := a.caching(o)
	defer x.Close()
	if err := x.Gather(); err != nil {
		return cell.CachingCounts{}, err
	}
	err := a.advance(ctx, name, a.f.span, 5*time.Second, x.RunFor)
	return x.Counts(), err
}

// caching is the interface of cell.Caching. Tests of the command use a smaller cell.
type caching interface {
	Gather() error
	RunFor(d time.Duration) error
	Counts() cell.CachingCounts
	Close()
}

func newCaching(o cell.CachingOptions) caching { return cell.NewCaching(o) }

// judge computes the ratios from the counts.
func (m *cachingReport) judge() {
	if asked := others(&m.On); asked > 0 {
		m.Fewer = float64(others(&m.Off)) / float64(asked)
	}
	if n := float64(m.OneFile.Writes) * float64(m.Readers); n > 0 {
		m.Told, m.Back = float64(m.OneFile.Drops)/n, float64(m.OneFile.Acked)/n
	}
}

// all returns the number of requests.
func all(n *cell.CachingCounts) (sum uint64) {
	for _, v := range n.Requests { // order-free: a sum
		sum += v
	}
	return sum
}

// others returns the number of requests other than KeepAlives.
func others(n *cell.CachingCounts) uint64 { return all(n) - n.Requests["KeepAlive"] }

// paperMix is the share of each kind of request at a cell of Chubby's authors, in parts per million (CHU §4.1, the
// table of RPCs, where OpenSession is CreateSession and GetContents is GetContentsAndStat); 0: not in the table.
var paperMix = []struct {
	kind string
	ppm  float64
}{
	{"KeepAlive", 930_000}, {"GetStat", 20_000}, {"Open", 10_000}, {"OpenSession", 10_000},
	{"GetContents", 4_000}, {"SetContents", 680}, {"Acquire", 31}, {"CloseHandle", 0},
}

func (a cachingRun) print(m *cachingReport) error {
	t := cli.NewNumbers(a.Out)
	t.Row("requests\twithout caches\tof all\twith caches\tof all\tthe paper\t\n")
	share := func(n *cell.CachingCounts, kind string) string {
		return fmt.Sprintf("%.3f %%", 100*float64(n.Requests[kind])/float64(max(1, all(n))))
	}
	for _, k := range paperMix {
		paper := "-"
		if k.ppm > 0 {
			paper = fmt.Sprintf("%.3f %%", k.ppm/10_000)
		}
		t.Row("%s\t%d\t%s\t%d\t%s\t%s\t\n", k.kind, m.Off.Requests[k.kind], share(&m.Off, k.kind), m.On.Requests[k.kind], share(&m.On, k.kind), paper)
	}
	t.Row("other than KeepAlives\t%d\t\t%d\t\t\t\n", others(&m.Off), others(&m.On))
	t.Row("reads of programs\t%d\t\t%d\t\t\t\n", m.Off.Reads, m.On.Reads)
	if err := t.End(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.Out, "\nwith caches, requests other than KeepAlives are %.1f times fewer; %d writes, the slowest took %v (%v without)\n"+
		"%d readers of one file, %d writes: a write costs %.3f messages to each reader and %.3f back; the slowest took %v\n",
		m.Fewer, m.On.Writes, m.On.Slowest.Round(time.Microsecond), m.Off.Slowest.Round(time.Microsecond),
		m.Readers, m.OneFile.Writes, m.Told, m.Back, m.OneFile.Slowest.Round(time.Microsecond))
	return err
}
