package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/systems"
)

// labLoadFlags are the flags of `chubby lab load`.
type labLoadFlags struct {
	labSeeds
	length  time.Duration
	clients []int
}

// labLoad is the JSON form of `chubby lab load`.
type labLoad struct {
	System    string        `json:"system"`
	Title     string        `json:"title"`
	Published string        `json:"published"`
	From      uint64        `json:"from"`
	Seeds     uint64        `json:"seeds"` // asked for, in each place
	Length    time.Duration `json:"length_ns"`
	Places    []labPlace    `json:"places"`
	labEnds
}

// labPlace is a variant with a number of clients.
type labPlace struct {
	Variant string     `json:"variant"`
	Guard   string     `json:"resource"`
	Clients int        `json:"clients"`
	Share   float64    `json:"lost_share"`
	Half    float64    `json:"half_interval"` // of 95 %
	Sum     lab.Toll   `json:"sum"`           // holders: the most of all seeds
	Seeds   []lab.Toll `json:"seeds"`         // in their order
}

func (a *app) labLoadCommand() *cobra.Command {
	f := &labLoadFlags{}
	c := &cobra.Command{
		Use:   "load SYSTEM",
		Short: "Repeat a published test: measure the updates lost, beside its figure",
		Long: `Load repeats a published test on the model of a lock system: its workload, with faults that
the seed draws. It prints the published figure, and then for each variant of the system and each
number of clients the share of the accepted updates that were lost, with a 95 % interval over
the seeds; the number of updates; the largest number of clients that acted as holders at one
instant; and the requests that the resource refused. All rows have the same seeds. SYSTEM is
etcd, the only one with such a test so far.

-o json prints one object: system, title, published, from, seeds, length_ns, places[], runs,
interrupted, exit.

` + labExits + `the runs that ended before are printed, but no place with
       fewer than two of them, which has no interval`,
		Example: "  chubby lab load etcd\n  chubby lab load etcd --seeds 60 --clients 5",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usage("%s takes one system, of: %s; the number of arguments is %d", c.CommandPath(), strings.Join(labLoaded(), ", "), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.labLoad(c.Context(), f, args[0]) },
	}
	c.Flags().Uint64Var(&f.seeds, "seeds", 20, "runs of each variant with each number of clients, 2 or more")
	c.Flags().Uint64Var(&f.from, "from", 1, "first seed; the others follow")
	c.Flags().DurationVar(&f.length, "length", 0, "simulated time of a run, such as 2m (default: that of the published test)")
	c.Flags().IntSliceVar(&f.clients, "clients", nil, "numbers of clients, separated by commas, 1 to 100 (default: those of the published test)")
	c.Flags().IntVar(&f.jobs, "jobs", 0, "runs at a time; 0: one per processor")
	f.form.Register(c)
	c.Flags().SortFlags = false
	return c
}

// labLoaded lists the systems that have a load.
func labLoaded() (names []string) {
	for _, s := range systems.All() {
		if s.Load != nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// labLoadOf finds a system with a load, and fills in what the user left open.
func labLoadOf(f *labLoadFlags, name string) (*lab.System, error) {
	s, found := systems.Named(strings.ToLower(name))
	if !found || s.Load == nil {
		return nil, cli.Usage("there is no published test for the system %q; there is one for: %s", name, strings.Join(labLoaded(), ", "))
	}
	if f.seeds < 2 || f.seeds > 1_000_000 {
		return nil, cli.Usage("--seeds %d: must be 2 to 1000000; an interval needs at least two", f.seeds)
	}
	if err := cli.CheckJobs(f.jobs); err != nil {
		return nil, err
	}
	if err := cli.CheckRange(f.from, f.seeds); err != nil {
		return nil, err
	}
	if f.length < 0 || f.length > 24*time.Hour {
		return nil, cli.Usage("--length %v: must be 0 to 24h; leave it out for %v", f.length, s.Load.Length)
	}
	for _, n := range f.clients {
		if n < 1 || n > 100 {
			return nil, cli.Usage("--clients %d: must be 1 to 100", n)
		}
	}
	if f.length == 0 {
		f.length = s.Load.Length
	}
	if len(f.clients) == 0 {
		f.clients = s.Load.Clients
	}
	return &s, nil
}

func (a *app) labLoad(ctx context.Context, f *labLoadFlags, name string) error {
	if err := f.form.Check(); err != nil {
		return err
	}
	s, err := labLoadOf(f, name)
	if err != nil {
		return err
	}
	r := labLoad{System: s.Name, Title: s.Load.Title, Published: s.Load.Published, From: f.from, Seeds: f.seeds, Length: f.length, Places: []labPlace{}}
	places := labLoadPlaces(f, s.Load)
	seen, ends, err := labPlaces(ctx, a, &f.labSeeds, len(places), func(at int, seed uint64) (lab.Toll, error) {
		return s.Load.Toll(places[at].variant, places[at].clients, f.length, seed)
	})
	if err != nil {
		return err
	}
	r.labEnds = ends
	for i, p := range places {
		if len(seen[i]) >= 2 {
			r.Places = append(r.Places, labPlaceOf(p, seen[i]))
		}
	}
	if f.form == "json" {
		err = a.Document(loadSchema, r)
	} else {
		err = a.labLoadTable(&r)
	}
	if err != nil {
		return err
	}
	return a.labEnd(&ends)
}

// labLoadPlace is what runs in a place.
type labLoadPlace struct {
	variant lab.Variant
	clients int
}

func labLoadPlaces(f *labLoadFlags, l *lab.Load) (all []labLoadPlace) {
	for _, v := range l.Variants {
		for _, n := range f.clients {
			all = append(all, labLoadPlace{v, n})
		}
	}
	return all
}

// labPlaceOf adds up what was seen of several seeds.
func labPlaceOf(of labLoadPlace, seen []lab.Toll) labPlace {
	p := labPlace{Variant: of.variant.Name, Guard: of.variant.Resource(), Clients: of.clients, Seeds: seen}
	for _, t := range seen {
		p.Sum.Done, p.Sum.Lost, p.Sum.Refused = p.Sum.Done+t.Done, p.Sum.Lost+t.Lost, p.Sum.Refused+t.Refused
		p.Sum.Holders = max(p.Sum.Holders, t.Holders)
	}
	p.Share, p.Half = lab.Share(seen)
	return p
}

func (a *app) labLoadTable(r *labLoad) error {
	if err := a.Printf("%s: %s\n%s\neach place: %d seeds from %d, %v each\n", r.System, r.Title, r.Published, r.Seeds, r.From, r.Length); err != nil {
		return err
	}
	t := cli.NewColumns(a.Out)
	t.Row("VARIANT\tRESOURCE\tCLIENTS\tLOST\tOF UPDATES\tHOLDERS\tREFUSED\n")
	for i := range r.Places {
		p := &r.Places[i]
		t.Row("%s\t%s\t%d\t%.1f %% ± %.1f\t%d\t%d\t%d\n", p.Variant, p.Guard, p.Clients, 100*p.Share, 100*p.Half, p.Sum.Done, p.Sum.Holders, p.Sum.Refused)
	}
	return t.End()
}
