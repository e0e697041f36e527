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

// labSystem is a system in `chubby lab`.
type labSystem struct {
	Name    string      `json:"name"`
	Title   string      `json:"title"`
	Models  string      `json:"models"`
	Omits   string      `json:"omits"`
	Token   string      `json:"token"`
	Options []labOption `json:"options"`
	Breaks  []labBreak  `json:"breaks"`
}

// labSystems is the JSON form of `chubby lab`.
type labSystems struct {
	Systems []labSystem `json:"systems"`
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
		Short: "Models of other lock systems: how they fail, and what helps",
		Long: `Lab prints a card of each lock system that it has: what the model covers and leaves out, its
options, and its breaks. A break is a numbered way in which the system fails (X1), with the
lesson to draw from it. Each system but chubby is a small model on the simulator of this
project; chubby is the code that ships. Nothing here ran against the real products.

` + "`chubby lab run SYSTEM BREAK`" + ` plays one break, and ` + "`chubby lab lesson NAME`" + ` wrong and right
programs under the same faults. ` + "`chubby lab matrix`" + ` measures how often each system fails under
random faults, ` + "`chubby lab sweep`" + ` over the length of one fault.

Marks say where a claim comes from: [src] the product's source, [doc] its documentation, [iss]
an issue of its tracker, [known] common knowledge without one source, [derived] our own
deduction. docs/lab.md has the results.

-o json prints one object: systems[], each with name, title, models, omits, token, options[],
breaks[].`,
		Example: "  chubby lab\n  chubby lab run setpx X1",
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
		return a.Document(labSchema, labSystems{list})
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

// labExits are the exit codes of the commands of the lab that measure.
const labExits = `Exit codes:
    0  done, whatever was measured
    2  usage: bad flags, unknown names, files that cannot be written
    5  internal error
  130  interrupted; `

// labJudged are the exit codes of the commands of the lab that judge a claim.
const labJudged = `Exit codes:
    0  all is as the lab claims
    1  a claim is false: a faulty variant or a wrong program did no harm, or another one did
    2  usage: bad flags, unknown names, files that cannot be written
    5  internal error
  130  interrupted`

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
		Short: "Play one break with its time line, and what helps against it",
		Long: `Run plays one break, such as X1 of setpx: a script of clients and faults, with several
variants of the lock system and of the resource that the clients write to. ` + "`chubby lab`" + ` lists
systems and breaks. Run prints the time line of one variant, in seconds of true time, and then
the outcome of each. The claim of the lab is that the harm happens in every faulty variant and
in no repaired one. A faulty variant marked "(by seed)" may do no harm in this seed.

The resource has a counter. Each holder of the lock reads it, and writes it one higher. The
resource guards itself in one of these ways:
  no check              it accepts every write
  write-check           it refuses a write with a lower token than an accepted write had
  read-and-write check  the same, but reads carry the token, too
  check then act        it asks the lock service, and acts a moment later
  same transaction      it is a table of the lock's database, and checks the lock in the
                        transaction of the write
  compare-and-set       it refuses a write that was made from an older version

--page FILE writes the run whose time line is printed as one HTML file that needs no
network: a lane for each machine, messages, bars where a client acts as a holder,
bands for faults (docs/pages.md).

-o json prints one object: system, break, seed, variants[] (each with its
time line, holds, waits, overlaps, writes; times in ns), exit.

` + labJudged,
		Example: "  chubby lab run setpx X1\n  chubby lab run setpx X1 --variant 3 --page x1.html",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage("%s takes a system and a break, such as setpx X1; the number of arguments is %d", c.CommandPath(), len(args))
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
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the run: it decides delays, random values, what a disk keeps")
	c.Flags().IntVar(&f.variant, "variant", 1, "number of the variant whose time line is printed, in the order of the outcomes")
	c.Flags().StringVar(&f.page, "page", "", "also write the run of that variant to this file, as HTML for a browser")
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
		return cli.Usage("--variant %d: the variants of %s %s are 1 to %d", f.variant, s.Name, b.ID, n)
	}
	all, err := lab.Check(b, f.seed)
	if err != nil {
		return cli.Internal(err)
	}
	if f.page != "" {
		if err := labPaged(f, s, b, all); err != nil {
			return err
		}
		a.Say("wrote %s", f.page)
	}
	code := cli.ExitClean
	if slices.ContainsFunc(all, func(x lab.Finding) bool { return !x.AsClaimed() }) {
		code = cli.ExitBroken
	}
	if f.form == "json" {
		err = a.Document(runSchema, labRun{s.Name, labBreakOf(b), f.seed, all, code})
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
