package simcmd

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/crowd"
	"github.com/chubbycell/chubby/sim/runner"
)

// app is the commands with their effects on the outside as fields, so that tests can run whole commands.
type app struct {
	cli.Streams // of the running command
	o           Options

	streams  func(*cobra.Command) cli.Streams
	now      func() time.Time
	simulate runner.Runner
	batch    func(context.Context, runner.Batch) runner.End
	build    func() runner.Build

	processor func() time.Duration // processor time that this process has used
	crowd     func(crowd.Options) crowdRun
	caching   func(cell.CachingOptions) caching
}

func newApp(o Options) *app {
	return &app{
		o: o.filled(), streams: cli.StreamsOf, now: time.Now, simulate: cell.Run, build: runner.ThisBuild,
		processor: processorTime, crowd: newCrowd, caching: newCaching,
		batch: func(ctx context.Context, b runner.Batch) runner.End { return b.Run(ctx) },
	}
}

// command returns the tree of commands.
func (a *app) command() *cobra.Command {
	c := a.simCommand()
	c.AddCommand(a.verifyCommand(), a.listCommand(), a.replayCommand(), a.experimentCommand(), a.compareCommand(), a.measureCommand(), a.mergeCommand())
	cli.Settle(c)
	a.prepare(c)
	return c
}

// prepare puts the program's name into the help of a command and of those below it, and makes them refuse to run with
// invalid Options.
func (a *app) prepare(c *cobra.Command) {
	named := func(text string) string { return strings.ReplaceAll(text, "chubby sim", a.o.Name+" sim") }
	c.Long, c.Example = named(c.Long), named(c.Example)
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = named(f.Usage) })
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		a.Streams = a.streams(c)
		if err := a.o.check(); err != nil {
			return cli.Usage("this program cannot simulate: %v", err)
		}
		cli.EndOnHangup(c.Context())
		return run(c, args)
	}
	for _, below := range c.Commands() {
		a.prepare(below)
	}
}
