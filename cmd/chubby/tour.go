package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/page"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/tour"
)

// stop is the JSON form of one scene of the tour.
type stop struct {
	Name      string     `json:"name"`
	Title     string     `json:"title"`
	Questions []question `json:"questions"`
	Lines     []string   `json:"lines,omitempty"` // of `chubby tour NAME`
	Read      []string   `json:"read"`
}

// tourList is the JSON form of the list of scenes.
type tourList struct {
	Scenes []stop `json:"scenes"`
}

type question struct {
	Ask    string `json:"question"`
	Answer string `json:"answer"`
}

func (a *app) tourCommand() *cobra.Command {
	var answers bool
	var file string
	var form cli.Form
	c := &cobra.Command{
		Use:   "tour [NAME]",
		Short: "Play scenes in which something goes wrong in a cell, and explain them",
		Long: `Tour plays a scene: three replicas and a few clients run the shipped code in the simulator,
and a script lets something go wrong. Tour first asks three questions, and on a terminal
waits for Enter. Then it prints what happens, and answers the questions. The last line
names the files to read next. Without NAME it lists the scenes.

Each line of what happens is an event of that run: the true time in seconds, in
parentheses the machine and the reading of its own clock, and what it did or received.
Replicas are n1, n2, n3; clients are c1, c2, c3. docs/tour.md explains the notation.

-o json prints one object: name, title, questions[], lines[], read[]. Without NAME it is
scenes[], each without lines.

Exit codes:
    0  done
    1  the scene broke a property or an invariant: the code was changed
    2  usage: bad flags, unknown names, files that cannot be written
    5  internal error
  130  interrupted`,
		Example: "  chubby tour\n  chubby tour lost-vote\n  chubby tour slow-clock --answers --page clock.html",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usage("%s takes the name of one scene; the number of arguments is %d", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := form.Check(); err != nil {
				return err
			}
			paged := c.Flags().Changed("page")
			switch {
			case len(args) == 0 && paged:
				return cli.Usage("--page %s: name a scene, too; `chubby tour` lists them", file)
			case len(args) == 0:
				return a.listTour(form)
			}
			s, ok := tour.Named(args[0])
			if !ok {
				return cli.Usage("no scene %q; `chubby tour` lists them", args[0])
			}
			if paged {
				if err := a.Writable("page", file); err != nil {
					return err
				}
			}
			return a.play(c.Context(), &s, !answers && (a.Terminal || cli.StreamsOf(c).Terminal), file, form)
		},
	}
	c.Flags().BoolVar(&answers, "answers", false, "do not wait for Enter before printing what happens")
	c.Flags().StringVar(&file, "page", "", "also write the whole run to this file, as HTML for a browser")
	form.Register(c)
	c.Flags().SortFlags = false
	return c
}

func (a *app) listTour(form cli.Form) error {
	if form == "json" {
		all := []stop{}
		for _, s := range tour.All() {
			all = append(all, newStop(&s))
		}
		return a.Document(tourSchema, tourList{all})
	}
	t := cli.NewColumns(a.Out)
	for _, s := range tour.All() {
		t.Row("%s\t%s\n", s.Name, s.Title)
	}
	return t.End()
}

func newStop(s *tour.Scene) stop {
	x := stop{Name: s.Name, Title: s.Title, Read: s.Read}
	for _, q := range s.Questions {
		x.Questions = append(x.Questions, question(q))
	}
	return x
}

// play plays a scene, and writes its page where a file is named. What the simulator does costs a second
// or so, also for JSON.
func (a *app) play(ctx context.Context, s *tour.Scene, wait bool, file string, form cli.Form) error {
	if form == "json" {
		x := newStop(s)
		told, err := a.told(s, file)
		if err != nil {
			return err
		}
		x.Lines = told.Lines
		if err := a.Document(sceneSchema, x); err != nil {
			return err
		}
		return verdict(&told.Result)
	}
	if err := a.ask(s); err != nil {
		return err
	}
	if wait {
		a.Say("(press Enter to see what happens)")
		if a.pressed(ctx) != nil {
			return cli.Interrupted()
		}
	}
	told, err := a.told(s, file)
	if err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\n   true time (machine: its own clock)\n%s\n\n", strings.Join(told.Lines, "\n"))
	for i, q := range s.Questions {
		fmt.Fprintf(&text, "%d. %s\n", i+1, filled(q.Answer, "   "))
	}
	fmt.Fprintf(&text, "\nRead next: %s\n", strings.Join(s.Read, ", "))
	if err := a.Printf("%s", text.String()); err != nil {
		return err
	}
	return verdict(&told.Result)
}

// told is the scene, played. Where a change of the code broke something in this very run, it says so.
func (a *app) told(s *tour.Scene, file string) (told tour.Telling, err error) {
	run := runner.Guard(cell.Run)
	if file != "" {
		run = func(o plan.Options) (r cell.Result) {
			r, err = runner.WithPage(file, cell.Run, o, page.About{Command: a.start + " tour " + s.Name})
			return r
		}
	}
	told = s.Play(run)
	switch r := &told.Result; {
	case err != nil:
		return told, cli.Usage("--page: %v", err)
	case r.Internal:
		a.Warn("%s", r.Breach.Text)
		return told, nil
	case r.Breach != nil:
		a.Warn("the scene broke %s: %s", r.Breach.Name(), r.Breach.Text)
	}
	if file != "" {
		a.Say("wrote %s", file)
	}
	return told, nil
}

// verdict is the exit code of a run.
func verdict(r *cell.Result) error {
	switch {
	case r.Internal:
		return cli.Exit(cli.ExitInternal)
	case r.Breach != nil:
		return cli.Exit(cli.ExitBroken)
	}
	return nil
}

// ask prints the questions.
func (a *app) ask(s *tour.Scene) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n\nBefore you look:\n", s.Title)
	for i, q := range s.Questions {
		fmt.Fprintf(&text, "%d. %s\n", i+1, filled(q.Ask, "   "))
	}
	return a.Printf("%s", text.String())
}

// pressed waits for a line on stdin, or for an interrupt.
func (a *app) pressed(ctx context.Context) error {
	line := make(chan struct{})
	go func() {
		defer close(line)
		_, _ = bufio.NewReader(a.In).ReadString('\n') // the end of the input is as good as a line
	}()
	select {
	case <-line:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// filled breaks a text into lines that fit a terminal, with a margin from the second on.
func filled(text, margin string) string {
	const most = 96
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > most {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(slices.Concat(lines, []string{line}), "\n"+margin)
}
