package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/lab/swarm"
)

// labCrowd is the JSON form of `chubby lab crowd`.
type labCrowd struct {
	From   uint64        `json:"from"`
	Seeds  uint64        `json:"seeds"` // asked for, in each row
	Crowds []swarm.Crowd `json:"crowds"`
	labEnds
}

func (a *app) labCrowdCommand() *cobra.Command {
	f, waiters := &labSeeds{}, []int{}
	c := &cobra.Command{
		Use:   "crowd [SYSTEM ...]",
		Short: "Measure how many waiters each release wakes, and what waiting costs",
		Long: `Crowd lets many clients take turns at one lock, without any fault, for two minutes of
simulated time. Work under the lock takes 1 s. It prints, for each number of waiting clients:
  moved per release  the waiters that exchange a message with the service between the release
                     and the next grant, because they are woken or because they poll
  messages per lock  the messages between clients and the service for each grant, including
                     those of waiting
  hand-off           the median time from a release to the next holder
Brackets have 95 % intervals from resampling seeds.

If waiters queue at the service, a release moves one. If the system wakes all waiters, it moves
them all. If clients poll, it moves few, and the cost is in the messages.

-o json prints one object: from, seeds, crowds[], runs, interrupted, exit.

` + labExits + `the runs that ended before are printed`,
		Example: "  chubby lab crowd\n  chubby lab crowd consul etcd --waiters 10,100",
		RunE:    func(c *cobra.Command, args []string) error { return a.labCrowd(c.Context(), f, waiters, args) },
	}
	c.Flags().IntSliceVar(&waiters, "waiters", []int{1, 3, 7, 15, 31}, "numbers of waiting clients, separated by commas, 1 to 200")
	f.register(c, 3)
	return c
}

func (a *app) labCrowd(ctx context.Context, f *labSeeds, waiters []int, names []string) error {
	if err := f.check(); err != nil {
		return err
	}
	for _, n := range waiters {
		if n < 1 || n > swarm.MaxWaiters {
			return cli.Usage("--waiters %d: must be 1 to %d", n, swarm.MaxWaiters)
		}
	}
	all, err := labNamed(names)
	if err != nil {
		return err
	}
	var points []labPoint
	for i := range all {
		for _, n := range waiters {
			points = append(points, labPoint{&all[i], n})
		}
	}
	seen, ends, err := labPoints(ctx, a, f, points, swarm.RunCrowd)
	if err != nil {
		return err
	}
	r := labCrowd{From: f.from, Seeds: f.seeds, Crowds: []swarm.Crowd{}, labEnds: ends}
	for i, p := range points {
		if len(seen[i]) > 0 {
			r.Crowds = append(r.Crowds, swarm.CrowdOf(p.system, p.n, seen[i]))
		}
	}
	if f.form == "json" {
		err = a.Document(crowdSchema, r)
	} else {
		err = a.labCrowdTable(r.Crowds)
	}
	if err != nil {
		return err
	}
	return a.labEnd(&ends)
}

func (a *app) labCrowdTable(all []swarm.Crowd) error {
	t := cli.NewColumns(a.Out)
	t.Row("system\twaiters\tmoved per release\tmessages per lock\thand-off\n")
	for _, c := range all {
		t.Row("%s\t%d\t%s\t%s\t%s\n", c.System, c.Waiters, labEstimate(c.Moved, "%.1f"), labEstimate(c.Messages, "%.1f"), labEstimate(c.HandOff, "%.3f s"))
	}
	return t.End()
}
