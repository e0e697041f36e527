package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/lab"
	"github.com/chubbycell/chubby/sim/lab/labpage"
	"github.com/chubbycell/chubby/sim/lab/systems"
)

// labSystem is the JSON form of a system in `chubby lab`.
type labSystem struct {
	Name    string      `json:"name"`
	Title   string      `json:"title"`
	Models  string      `json:"models"`
	Omits   string      `json:"omits"`
	Token   string      `json:"token"`
	Options []labOption `json:"options"`
	Breaks  []labBreak  `json:"breaks"`
}

type labOption struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Mark  string `json:"mark"`
}

type labBreak struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Mark     string `json:"mark"`
	Harm     string `json:"harm,omitempty"`
	Lesson   string `json:"lesson"`
	Unplayed string `json:"unplayed,omitempty"`
}

// labRun is the JSON form of `chubby lab run`.
type labRun struct {
	System   string        `json:"system"`
	Break    labBreak      `json:"break"`
	Seed     uint64        `json:"seed"`
	Variants []lab.Finding `json:"variants"`
	Exit     int           `json:"exit"`
}

func labBreakOf(b *lab.Break) labBreak {
	return labBreak{b.ID, b.Title, b.Mark, b.Harm.Name, b.Lesson, b.Unplayed}
}

func labSystemOf(s *lab.System) labSystem {
	l := labSystem{Name: s.Name, Title: s.Title, Models: s.Version, Omits: s.Omits, Token: s.Token, Options: []labOption{}, Breaks: []labBreak{}}
	for _, o := range s.Options {
		l.Options = append(l.Options, labOption(o))
	}
	for i := range s.Breaks {
		l.Breaks = append(l.Breaks, labBreakOf(&s.Breaks[i]))
	}
	return l
}

func (a *app) labCommand() *cobra.Command {
	var form cli.Form
	c := &cobra.Command{
		Use:   "lab",
		Short: "Lock systems of others, simulated: how they fail, and what helps",
		Long: `Lab lists lock systems in practical use, each as a small model on the simulator of this
project, with the ways in which it fails and the lesson of each failure.
` + "`chubby lab run SYSTEM BREAK`" + ` plays one of them, ` + "`chubby lab lesson NAME`" + ` a wrong and a right
program under the same faults. ` + "`chubby lab matrix`" + ` measures how often each system fails under
faults that strike by chance, ` + "`chubby lab sweep`" + ` over the length of one fault.

Marks say where a claim comes from: [src] the product's source, [iss] an issue,
[doc] its documentation, [seed] the texts this project began with, [derived] a
deduction of ours. Nothing here ran against the real product.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usage("lab %s: no such command; `%s lab` lists systems, `%s lab run SYSTEM BREAK` plays a break, `%s lab matrix` measures", args[0], a.Name, a.Name, a.Name)
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			if err := form.Check(); err != nil {
				return err
			}
			return a.labList(form)
		},
	}
	form.Register(c)
	c.AddCommand(a.labRunCommand(), a.labMatrixCommand(), a.labLoadCommand(), a.labCrowdCommand(), a.labOutageCommand(), a.labLessonCommand(), a.labSweepCommand())
	return c
}

func (a *app) labList(form cli.Form) error {
	all := systems.All()
	if form == "json" {
		list := []labSystem{}
		for i := range all {
			list = append(list, labSystemOf(&all[i]))
		}
		return a.JSON(map[string][]labSystem{"systems": list})
	}
	t := cli.NewTable(a.Out)
	for i := range all {
		if i > 0 {
			t.Row("\n")
		}
		t.Row("%s\n", strings.Join(lab.Card(&all[i]), "\n"))
	}
	return t.End()
}

// labFlags are the flags of `chubby lab run`.
type labFlags struct {
	seed    uint64
	variant int
	page    string
	form    cli.Form
}

func (a *app) labRunCommand() *cobra.Command {
	f := &labFlags{}
	c := &cobra.Command{
		Use:   "run SYSTEM BREAK",
		Short: "Play one failure with its time line, and what helps against it",
		Long: `Run plays one script of clients and faults with several variants of a lock system
and of the resource that clients write to. It prints the time line of one of them, in true
time, and what became of each: in every faulty variant the harm happens, in no
repaired one.

The resource keeps a counter that each holder reads and writes one higher. It
guards itself in one of these ways:
  no check              it takes every write
  write-check           it refuses a write with a lower token than a write it took
  read-and-write check  the same, and reads carry the token, too
  check then act        it asks the lock service, and acts a moment later
  same transaction      it is a table of the lock's database, and looks at the lock as it acts
  compare-and-set       it refuses a write made from an older version

--page FILE writes the run whose time line is printed as one HTML file that needs no
network: a lane for each machine, messages, bars where a client acts as a holder,
bands for faults (docs/pages.md).

-o json prints one object: system, break, seed, variants[] (each with its
time line, holds, waits, overlaps, writes; times in ns), exit.

` + cli.ExitHelp,
		Example: "  chubby lab run setpx X1\n  chubby lab run setpx X1 --variant 3 --page x1.html",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage("%s takes a system and a break, such as setpx X1; %d are there", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("page") {
				if err := a.Writable("page", f.page); err != nil {
					return err
				}
			}
			return a.labRun(f, args[0], args[1])
		},
	}
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the run: delays, random values, what a disk keeps")
	c.Flags().IntVar(&f.variant, "variant", 1, "whose time line is printed, counted in the order of the table below it")
	c.Flags().StringVar(&f.page, "page", "", "write the run of that variant to this file, for a browser")
	f.form.Register(c)
	c.Flags().SortFlags = false
	return c
}

func (a *app) labRun(f *labFlags, name, id string) error {
	if err := f.form.Check(); err != nil {
		return err
	}
	s, b, err := labFind(name, id)
	if err != nil {
		return err
	}
	if n := len(b.Faulty) + len(b.Repaired); f.variant < 1 || f.variant > n {
		return cli.Usage("--variant %d: %s %s has 1 to %d", f.variant, s.Name, b.ID, n)
	}
	all, err := lab.Check(b, f.seed)
	if err != nil {
		return cli.Internal(err)
	}
	if f.page != "" {
		if err := labPaged(f, s, b, all); err != nil {
			return err
		}
		a.Say("written %s", f.page)
	}
	code := cli.ExitClean
	if slices.ContainsFunc(all, func(x lab.Finding) bool { return !x.AsClaimed() }) {
		code = cli.ExitBroken
	}
	if f.form == "json" {
		err = a.JSON(labRun{s.Name, labBreakOf(b), f.seed, all, code})
	} else {
		err = a.Printf("%s\n", strings.Join(lab.Tell(s, b, all, f.variant-1), "\n"))
	}
	if err != nil {
		return err
	}
	return cli.Exit(code)
}

// labPaged writes the page of the variant that is shown.
func labPaged(f *labFlags, s *lab.System, b *lab.Break, all []lab.Finding) error {
	var page bytes.Buffer
	command := fmt.Sprintf("chubby lab run %s %s --seed %d --variant %d", s.Name, b.ID, f.seed, f.variant)
	if err := labpage.Write(&page, s, b, all, f.variant-1, f.seed, command); err != nil {
		return cli.Internal(err)
	}
	if err := os.WriteFile(f.page, page.Bytes(), 0o644); err != nil {
		return cli.Usage("--page: %v", err)
	}
	return nil
}

// labFind finds a break, or says which there are.
func labFind(name, id string) (*lab.System, *lab.Break, error) {
	s, found := systems.Named(strings.ToLower(name))
	if !found {
		return nil, nil, labUnknown(name)
	}
	b, found := s.Break(strings.ToUpper(id))
	switch {
	case !found:
		return nil, nil, cli.Usage("%s has no break %q; it has: %s", s.Name, id, strings.Join(s.Played(), ", "))
	case b.Script == nil:
		return nil, nil, cli.Usage("%s %s is not played: %s; it plays: %s", s.Name, b.ID, b.Unplayed, strings.Join(s.Played(), ", "))
	}
	return &s, b, nil
}

// labUnknown says which systems there are.
func labUnknown(name string) error {
	return cli.Usage("no system %q; there are: %s", name, labNames(systems.All()))
}

// labNames are the names of systems, for people.
func labNames(all []lab.System) string {
	var names []string
	for _, x := range all {
		names = append(names, x.Name)
	}
	return strings.Join(names, ", ")
}
