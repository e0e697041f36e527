package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/lab/lessons"
)

// labLesson is the JSON form of a lesson.
type labLesson struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Says  string `json:"lesson"`
	File  string `json:"file"`
}

// labLessons is the JSON form of the list of lessons.
type labLessons struct {
	Lessons []labLesson `json:"lessons"`
}

// labPlayed is the JSON form of a lesson that was played.
type labPlayed struct {
	labLesson
	Seed     uint64            `json:"seed"`
	Programs []lessons.Finding `json:"programs"`
	Exit     int               `json:"exit"`
}

func labLessonOf(l *lessons.Lesson) labLesson {
	return labLesson{Name: l.Name, Title: l.Title, Says: l.Says, File: lessons.Directory + l.File}
}

// labLessonFlags are the flags of `chubby lab lesson`.
type labLessonFlags struct {
	seed    uint64
	program int
	form    cli.Form
}

func (a *app) labLessonCommand() *cobra.Command {
	f := &labLessonFlags{}
	c := &cobra.Command{
		Use:   "lesson [NAME]",
		Short: "Play wrong and right programs with locks under the same faults",
		Long: `Lesson plays several short programs under the same faults and with the same seed: wrong
ones, which make a common mistake, and right ones. It prints the time line of the
first wrong program, in seconds of true time, then that of the last right one from
the point where the two differ, and the outcome of each program. The file that it
names has the source of the programs, a few lines each. Without NAME it lists the
lessons. The claim of a lesson is that every wrong program does harm and no right
one does.

-o json prints one object: name, title, lesson, file, seed, programs[] (each with
its harm and its outcome: time line, holds, waits, overlaps, writes; times in ns),
exit. Without NAME it is lessons[], each with name, title, lesson, file.

` + labJudged,
		Example: "  chubby lab lesson\n  chubby lab lesson release-race --program 2",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usage("%s takes the name of one lesson; the number of arguments is %d", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.form.Check(); err != nil {
				return err
			}
			if len(args) == 0 {
				return a.labLessonList(f)
			}
			return a.labLesson(f, args[0])
		},
	}
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the run: it decides delays and random values")
	c.Flags().IntVar(&f.program, "program", 1, "number of the program whose time line is printed, in the order of the outcomes")
	f.form.Register(c)
	c.Flags().SortFlags = false
	return c
}

func (a *app) labLessonList(f *labLessonFlags) error {
	list := []labLesson{}
	t := cli.NewColumns(a.Out)
	for _, l := range lessons.All() {
		list = append(list, labLessonOf(&l))
	}
	if f.form == "json" {
		return a.Document(lessonsSchema, labLessons{list})
	}
	for _, l := range list {
		t.Row("%s\t%s\n", l.Name, l.Title)
	}
	return t.End()
}

func (a *app) labLesson(f *labLessonFlags, name string) error {
	l, found := lessons.Named(strings.ToLower(name))
	if !found {
		var names []string
		for _, x := range lessons.All() {
			names = append(names, x.Name)
		}
		return cli.Usage("no lesson %q; there are: %s", name, strings.Join(names, ", "))
	}
	if n := len(l.Programs()); f.program < 1 || f.program > n {
		return cli.Usage("--program %d: the programs of %s are 1 to %d", f.program, l.Name, n)
	}
	all, err := l.Play(f.seed)
	if err != nil {
		return cli.Internal(err)
	}
	code := cli.ExitClean
	if slices.ContainsFunc(all, func(x lessons.Finding) bool { return !x.Holds() }) {
		code = cli.ExitBroken
	}
	if f.form == "json" {
		err = a.Document(lessonSchema, labPlayed{labLessonOf(&l), f.seed, all, code})
	} else {
		err = a.Printf("%s\n", strings.Join(l.Tell(all, f.program-1), "\n"))
	}
	if err != nil {
		return err
	}
	return cli.Exit(code)
}
