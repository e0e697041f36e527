package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/linearizability"
)

type checkFlags struct {
	model string
	steps int64
	page  string
	form  output
}

func (a *app) checkCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check --model " + strings.Join(linearizability.ModelNames(), "|") + " FILE",
		Short: "Check a history of any system for linearizability",
		Long: `Check reads a history, one JSON object a line, from FILE or, for "-", from
stdin, and decides whether it is linearizable. The form of a history is
described in the package doc of linearizability (go doc ./linearizability).

` + exitHelp,
		Example: `  chubby check --model register history.jsonl
  zcat history.jsonl.gz | chubby check --model kv -`,
		Args: one("file of the history, or -"),
		RunE: abandoned(func(args []string) error { return a.check(f, args[0]) }),
	}
	c.Flags().StringVar(&f.model, "model", "", "what the history is judged against")
	c.Flags().Int64Var(&f.steps, "steps", 0, "model steps a partition may take until it is undecided (0: 5,000,000)")
	c.Flags().StringVar(&f.page, "page", "", "write Porcupine's picture of a bad history to this HTML file")
	f.form.register(c)
	return c
}

func (a *app) check(f checkFlags, file string) error {
	if err := f.form.check(); err != nil {
		return err
	}
	if f.model == "" {
		return usage("--model is missing: one of %v", linearizability.ModelNames())
	}
	if f.steps < 0 {
		return usage("--steps %d: at least 0", f.steps)
	}
	if err := a.checkStdout(file); err != nil {
		return err
	}
	if f.page != "" {
		if err := a.checkOutput(file, "page", f.page); err != nil {
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
		return usage("%s: %v", inputName(file), err)
	}
	if r.Operations == 0 {
		return usage("no operations in %s", inputName(file))
	}
	if f.form == "json" {
		err = r.WriteJSON(a.out)
	} else {
		_, err = io.WriteString(a.out, r.Text())
	}
	if err != nil {
		return internal(err)
	}
	if r.Conflict() {
		return internal(fmt.Errorf("%s: the two checks contradict each other", file))
	}
	switch r.Verdict {
	case linearizability.Illegal:
		return exit(exitBroken)
	case linearizability.Undecided:
		return exit(exitUndecided)
	}
	return nil
}

// open opens an input, "-" being stdin.
func (a *app) open(file string) (io.ReadCloser, error) {
	if info := a.stat(file); info != nil && info.IsDir() {
		return nil, usage("%s: a directory; name the file of a history", inputName(file))
	}
	if file == "-" {
		return io.NopCloser(a.in), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, usage("%v", err)
	}
	return f, nil
}

// inputName is what messages call an input.
func inputName(file string) string {
	if file == "-" {
		return "stdin"
	}
	return file
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
