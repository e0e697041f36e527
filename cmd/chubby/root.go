package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/runner"
)

// Exit codes. They are part of what the program promises.
const (
	exitClean       = 0
	exitBroken      = 1   // a property does not hold, or simulated code crashed
	exitUsage       = 2   // bad flags, unknown names, unreadable or damaged files
	exitUndecided   = 3   // a checker gave up, or too few seeds counted
	exitDiffers     = 4   // same seed, another history
	exitInternal    = 5   // a fault of this program
	exitInterrupted = 130 // by a signal; what was found so far is printed
)

const exitHelp = `Exit codes:
    0  clean
    1  a property or invariant broke, or simulated code crashed
    2  usage: bad flags, unknown names, unreadable or damaged files
    3  undecided: a checker gave up, or too few seeds did enough to count
    4  same seed, different history
    5  internal error
  130  interrupted; what was found so far is printed`

// failure is an error with the exit code it leads to. Without text it has been
// printed already.
type failure struct {
	code int
	err  error
}

// Error is the text for stderr, "" if it was printed already.
func (f *failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

// Unwrap is the error as it came, for errors.Is and errors.As; nil without text.
func (f *failure) Unwrap() error { return f.err }

// exit ends a command with a code and without a message; nil for 0.
func exit(code int) error {
	if code == exitClean {
		return nil
	}
	return &failure{code: code}
}

func usage(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

func internal(err error) error { return &failure{exitInternal, err} }

// app is the program with everything it touches, so that tests run it whole.
type app struct {
	in       io.Reader
	out, err io.Writer
	terminal bool // err is one
	now      func() time.Time
	simulate runner.Runner
	batch    func(context.Context, runner.Batch) runner.End
	build    func() runner.Build

	processor func() time.Duration // used by this process
	crowd     func(cell.CrowdOptions) crowd
}

func newApp(in io.Reader, out, err io.Writer, terminal bool) *app {
	return &app{
		in: in, out: out, err: err, terminal: terminal, now: time.Now, simulate: cell.Run, build: readBuild,
		processor: processorTime, crowd: newCrowd,
		batch: func(ctx context.Context, b runner.Batch) runner.End { return b.Run(ctx) },
	}
}

// run runs the program and returns its exit code.
func (a *app) run(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(a.err, "chubby: internal error: %v\n%s", r, debug.Stack())
			code = exitInternal
		}
	}()
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var f *failure
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &f):
	case ctx.Err() != nil:
		f = &failure{exitInterrupted, errors.New("interrupted")}
	default: // cobra's own: a flag or a command that does not exist
		f = &failure{exitUsage, err}
	}
	if text := strings.TrimSpace(f.Error()); text != "" {
		fmt.Fprintf(a.err, "chubby: %s\n", text)
	}
	return f.code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "chubby",
		Short:         "A replicated database, and the simulator that tries to break it",
		Long:          "Chubby simulates cells of a replicated database under faults and checks what they do.\n\n" + exitHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if large := tooLarge(err); large != nil {
			return large
		}
		text, _, _ := strings.Cut(err.Error(), ": strconv.") // what pflag says, without its reasons
		return usage("%s; %s --help explains the flags", text, c.CommandPath())
	})
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.AddCommand(a.simCommand(), a.checkCommand(), a.walCommand(), a.snapshotCommand(), a.backupCommand(), a.versionCommand())
	return root
}

// group is a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	c.AddCommand(commands...)
	return c
}

// one demands one argument, which what names.
func one(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usage("%s takes one argument, the %s; %d are there", c.CommandPath(), what, len(args))
		}
		return nil
	}
}

// output is the flag -o.
type output string

func (o *output) register(c *cobra.Command) {
	*o = "table"
	c.Flags().StringVarP((*string)(o), "output", "o", "table", "form of what is printed: table or json")
}

func (o output) check() error {
	if o != "table" && o != "json" {
		return usage("-o %q: table or json", string(o))
	}
	return nil
}
