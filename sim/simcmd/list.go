package simcmd

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// catalogue is the JSON form of `chubby sim list`.
type catalogue struct {
	Faults     []item          `json:"faults"`
	Workloads  []item          `json:"workloads"`
	Tunables   []item          `json:"tunables"`
	Properties []cell.Property `json:"properties"`
	Counters   []item          `json:"counters"`
}

type item struct {
	Name     string `json:"name"`
	Help     string `json:"help"`
	Demanded bool   `json:"demanded,omitempty"` // of a counter: a long campaign must reach it
}

// byAdded is the By of a property of an extension: what checks it.
const byAdded = "every seed, by this program"

func newCatalogue(with *scenario.Extension) catalogue {
	c := catalogue{Properties: cell.Properties()}
	for _, f := range plan.Faults(with) {
		c.Faults = append(c.Faults, item{Name: f.Name, Help: f.Help})
	}
	for _, w := range plan.Workloads(with) {
		c.Workloads = append(c.Workloads, item{Name: w.Name, Help: w.Help})
	}
	for _, t := range plan.Tunables() {
		c.Tunables = append(c.Tunables, item{Name: t.Name, Help: t.Help + ", " + t.Range})
	}
	if with != nil {
		for _, p := range with.Properties {
			c.Properties = append(c.Properties, cell.Property{ID: p.ID, Help: p.Help, By: byAdded})
		}
	}
	for _, s := range cell.Situations() {
		c.Counters = append(c.Counters, item{s.Name, s.Help, s.Demanded})
	}
	return c
}

func (a *app) listCommand() *cobra.Command {
	var form cli.Form
	c := &cobra.Command{
		Use:   "list",
		Short: "List faults, workloads, tunables, properties and counters",
		Args:  cli.None(""),
		RunE: func(*cobra.Command, []string) error {
			if err := form.Check(); err != nil {
				return err
			}
			if form == "json" {
				return a.Document(listSchema, newCatalogue(a.o.With))
			}
			return a.list(newCatalogue(a.o.With))
		},
	}
	form.Register(c)
	return c
}

func (a *app) list(c catalogue) error {
	t := cli.NewTable(a.Out)
	section(t, "Faults (--faults)", c.Faults)
	section(t, "\nWorkloads (--workload)", c.Workloads)
	section(t, "\nTunables (--set NAME=VALUE; drawn from the seed where they are not set)", c.Tunables)
	var properties []item
	for _, p := range c.Properties {
		by := p.By
		if by == "" {
			by = "not yet"
		}
		properties = append(properties, item{Name: p.ID, Help: p.Help + " [" + by + "]"})
	}
	section(t, "\nProperties", properties)
	section(t, "\nCounters of rare situations (sometimes); those with a * must be reached by 10 of 10,000 seeds", c.Counters)
	return t.End()
}

// width is the most columns of a line.
const width = 100

// section prints a title, and a list of names with their help beside them.
func section(t *cli.Table, title string, all []item) {
	t.Row("%s\n", title)
	longest := 0
	for i := range all {
		if all[i].Demanded {
			all[i].Name += " *"
		}
		longest = max(longest, utf8.RuneCountInString(all[i].Name))
	}
	for _, i := range all {
		name := i.Name
		for _, line := range wrapped(i.Help, width-longest-4) {
			t.Row("  %-*s  %s\n", longest, name, line)
			name = ""
		}
	}
}

// wrapped breaks a text into lines of at most that many letters; a longer word has a line of its own. An empty text is
// one empty line.
func wrapped(text string, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > most:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
