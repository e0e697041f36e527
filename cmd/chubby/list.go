package main

import (
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
)

// catalogue is the JSON form of `chubby sim list`.
type catalogue struct {
	Faults     []item          `json:"faults"`
	Workloads  []item          `json:"workloads"`
	Properties []cell.Property `json:"properties"`
	Counters   []item          `json:"counters"`
}

type item struct {
	Name     string `json:"name"`
	Help     string `json:"help"`
	Demanded bool   `json:"demanded,omitempty"` // of a counter: a long campaign must reach it
}

func newCatalogue() catalogue {
	c := catalogue{Properties: cell.Properties()}
	for _, f := range plan.Faults(nil) {
		c.Faults = append(c.Faults, item{Name: f.Name, Help: f.Help})
	}
	for _, w := range plan.Workloads(nil) {
		c.Workloads = append(c.Workloads, item{Name: w.Name, Help: w.Help})
	}
	for _, s := range cell.Situations() {
		c.Counters = append(c.Counters, item{s.Name, s.Help, s.Demanded})
	}
	return c
}

func (a *app) listCommand() *cobra.Command {
	var form output
	c := &cobra.Command{
		Use:   "list",
		Short: "List faults, workloads, properties and counters",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := form.check(); err != nil {
				return err
			}
			if form == "json" {
				return a.json(newCatalogue())
			}
			return a.list(newCatalogue())
		},
	}
	form.register(c)
	return c
}

func (a *app) list(c catalogue) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	t := table{w: w}
	t.items("Faults (--faults)", c.Faults)
	t.items("\nWorkloads (--workload)", c.Workloads)
	t.row("\nProperties\n")
	for _, p := range c.Properties {
		by := p.By
		if by == "" {
			by = "not yet"
		}
		t.row("  %s\t%s\t[%s]\n", p.ID, p.Help, by)
	}
	t.items("\nCounters of rare situations (sometimes); those with a * must be reached by 10 of 10,000 seeds", c.Counters)
	if t.err == nil {
		t.err = w.Flush()
	}
	if t.err != nil {
		return internal(t.err)
	}
	return nil
}
