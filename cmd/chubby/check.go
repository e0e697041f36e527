package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/linearizability"
)

type checkFlags struct {
	model string
	steps int64
	page  string
	form  cli.Form
}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check --model " + strings.Join(linearizability.ModelNames(), "|") + " FILE",
		Short: "Check a history of any system for linearizability",
		Long: `Check reads a history, one JSON object a line, from FILE or, for "-", from
stdin, and decides whether it is linearizable. The form of a history is
described in the package doc of linearizability (go doc ./linearizability).

` + cli.ExitHelp,
		Example: `  chubby check --model register history.jsonl
  zcat history.jsonl.gz | chubby check --model kv -`,
		Args: cli.One("file of the history, or -"),
		RunE: abandoned(func(args []string) error { return a.check(f, args[0]) }),
	}
	c.Flags().StringVar(&f.model, "model", "", "what the history is judged against")
	c.Flags().Int64Var(&f.steps, "steps", 0, "model steps a partition may take until it is undecided (0: 5,000,000)")
	c.Flags().StringVar(&f.page, "page", "", "write Porcupine's picture of a bad history to this HTML file")
	f.form.Register(c)
	return c
}

func (a *app) check(f checkFlags, file string) error {
	if err := f.form.Check(); err != nil {
		return err
	}
	if f.model == "" {
		return cli.Usage("--model is missing: one of %v", linearizability.ModelNames())
	}
	if f.steps < 0 {
		return cli.Usage("--steps %d: at least 0", f.steps)
	}
	if err := a.SpareInput(file); err != nil {
		return err
	}
	if f.page != "" {
		if err := a.Spare(file, "page", f.page); err != nil {
			return err
		}
	}
	in, err := a.open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	o := linearizability.Options{Budget: linearizability.Budget{Steps: f.steps}}
	var page lazyFile
	if f.page != "" {
		page.name = f.page
		o.Page = &page
	}
	r, err := linearizability.CheckFile(in, f.model, o)
	if err = errors.Join(err, page.Close()); err != nil {
		return cli.Usage("%s: %v", cli.InputName(file), err)
	}
	if r.Operations == 0 {
		return cli.Usage("no operations in %s", cli.InputName(file))
	}
	if f.form == "json" {
		err = r.WriteJSON(a.Out)
	} else {
		_, err = io.WriteString(a.Out, r.Text())
	}
	if err != nil {
		return cli.Internal(err)
	}
	if r.Conflict() {
		return cli.Internal(fmt.Errorf("%s: the two checks contradict each other", file))
	}
	switch r.Verdict {
	case linearizability.Illegal:
		return cli.Exit(cli.ExitBroken)
	case linearizability.Undecided:
		return cli.Exit(cli.ExitUndecided)
	}
	return nil
}

// open opens an input, "-" being stdin.
func (a *app) open(file string) (io.ReadCloser, error) {
	if info := a.Stat(file); info != nil && info.IsDir() {
		return nil, cli.Usage("%s: a directory; name the file of a history", cli.InputName(file))
	}
	if file == "-" {
		return io.NopCloser(a.In), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, cli.Usage("%v", err)
	}
	return f, nil
}

// lazyFile is a file that is made when something is written to it.
type lazyFile struct {
	name string
	f    *os.File
}

func (l *lazyFile) Write(b []byte) (n int, err error) {
	if l.f == nil {
		if l.f, err = os.Create(l.name); err != nil {
			return 0, err
		}
	}
	return l.f.Write(b)
}

func (l *lazyFile) Close() error {
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}
