package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/lab/swarm"
)

// labOutage is the JSON form of `chubby lab outage`.
type labOutage struct {
	From    uint64         `json:"from"`
	Seeds   uint64         `json:"seeds"` // asked for, in each row
	Outages []swarm.Outage `json:"outages"`
	labEnds
}

func (a *app) labOutageCommand() *cobra.Command {
	f := &labSeeds{}
	c := &cobra.Command{
		Use:   "outage [SYSTEM ...]",
		Short: "Measure how many servers may fail before no client gets the lock any more",
		Long: `Outage lets four clients take turns at one lock for three minutes of simulated time. At
one instant it cuts the power of 0, 1, 2 and so on of the system's servers for good; the seed
draws which ones. It prints, for each number of failed servers:
  goes on               the share of the seeds in which clients still got the lock a minute
                        after the cut or later
  until the next grant  how long after the cut the lock was granted again, if it was: the
                        median, and the longest
  lost: no check        the share of the seeds in which an update was lost, with a resource
                        that checks nothing
Brackets have 95 % intervals.

Systems run with the options of their cards (chubby lab): one server and no replica, if that
is the product's default. If one server of a model stands for a cluster, nothing runs, and a
note below the table says so.

-o json prints one object: from, seeds, outages[], runs, interrupted, exit.

` + labExits + `the runs that ended before are printed`,
		Example: "  chubby lab outage\n  chubby lab outage chubby redlock --seeds 100",
		RunE:    func(c *cobra.Command, args []string) error { return a.labOutage(c.Context(), f, args) },
	}
	f.register(c, 20)
	return c
}

func (a *app) labOutage(ctx context.Context, f *labSeeds, names []string) error {
	if err := f.check(); err != nil {
		return err
	}
	all, err := labNamed(names)
	if err != nil {
		return err
	}
	var points []labPoint
	servers := make([]int, len(all)) // that can fail
	for i := range all {
		if all[i].Whole {
			continue
		}
		if servers[i], err = swarm.Servers(&all[i]); err != nil {
			return cli.Internal(err)
		}
		for failed := range servers[i] + 1 {
			points = append(points, labPoint{&all[i], failed})
		}
	}
	seen, ends, err := labPoints(ctx, a, f, points, swarm.RunOutage)
	if err != nil {
		return err
	}
	r := labOutage{From: f.from, Seeds: f.seeds, Outages: []swarm.Outage{}, labEnds: ends}
	for i := range all {
		if all[i].Whole {
			r.Outages = append(r.Outages, swarm.NoOutage(&all[i]))
			continue
		}
		for failed := range servers[i] + 1 {
			if len(seen[0]) > 0 {
				r.Outages = append(r.Outages, swarm.OutageOf(&all[i], servers[i], failed, seen[0]))
			}
			seen = seen[1:]
		}
	}
	if f.form == "json" {
		err = a.Document(outageSchema, r)
	} else {
		err = a.labOutageTable(r.Outages)
	}
	if err != nil {
		return err
	}
	return a.labEnd(&ends)
}

func (a *app) labOutageTable(all []swarm.Outage) error {
	t := cli.NewColumns(a.Out)
	t.Row("system\tservers\tfailed\tgoes on\tuntil the next grant\tlost: no check\n")
	for _, o := range all {
		gap := "-"
		if o.Gap != nil {
			gap = fmt.Sprintf("%s, at most %.1f s", labEstimate(*o.Gap, "%.1f s"), o.Longest)
		}
		if o.Why == "" {
			t.Row("%s\t%d\t%d\t%s\t%s\t%s\n", o.System, o.Servers, o.Failed, labShare(o.On), gap, labShare(o.Lost))
		} else {
			t.Row("%s\t-\t-\t-\t-\t-\n", o.System)
		}
	}
	if err := t.End(); err != nil {
		return err
	}
	for _, o := range all {
		if o.Why == "" {
			continue
		}
		if err := a.Printf("%s: %s\n", o.System, o.Why); err != nil {
			return err
		}
	}
	return nil
}
