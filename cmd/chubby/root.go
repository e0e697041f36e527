package main

import (
	"context"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cellcmd"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/runner"
	"github.com/chubbycell/chubby/sim/simcmd"
)

// source is this program in the source tree.
const source = "./cmd/chubby"

// app is the program with everything it touches, so that tests run it whole.
type app struct {
	cli.Streams
	start   string // starts the program again, in a shell
	build   func() runner.Build
	now     func() time.Time
	limit   func(bytes int64) // has the collector keep the memory of this process below that, if it can
	telling time.Duration     // how often progress of long commands is told of
}

func newApp(s cli.Streams) *app {
	return &app{Streams: s, start: cli.Started(source), build: runner.ThisBuild, now: time.Now, limit: limitMemory, telling: 10 * time.Second}
}

// limitMemory sets the limit of the collector, unless GOMEMLIMIT did.
func limitMemory(bytes int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(bytes)
	}
}

// run runs the program and returns its exit code.
func (a *app) run(ctx context.Context, args []string) int {
	return cli.Run(ctx, a.root(), a.Err, args)
}

func (a *app) root() *cobra.Command {
	root := cli.Root(a.Name, "A lock service, and the simulator that tries to break it",
		"Chubby runs cells of a lock service, and calls them. It also simulates such cells under\nfaults, and checks what they do. To try a cell, run: chubby dev.")
	root.Long = strings.Replace(root.Long, cli.ExitHelp, cli.BothExitHelp+"\n\nThe help of each command says more of its own.", 1)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	simulate := simcmd.Command(simcmd.Options{Name: a.Name, Run: a.start, Program: program})
	simulate.AddCommand(a.mutantsCommand())
	root.AddCommand(cellcmd.Commands()...)
	root.AddCommand(simulate, a.tourCommand(), a.labCommand(), a.checkCommand(), a.walCommand(), a.snapshotCommand(), a.backupCommand(), a.versionCommand())
	group(root)
	version, help := a.versionCommand(), root.RunE
	isAsked := root.Flags().Bool("version", false, "print what chubby version prints")
	root.RunE = func(c *cobra.Command, args []string) error {
		if *isAsked {
			return version.RunE(c, args)
		}
		return help(c, args)
	}
	return root
}

// groups are the parts of the list of commands in the help, with their commands.
var groups = []struct{ title, commands string }{
	{"Call a cell:", "ls cat stat put mkdir rm acl lock watch sequencer"},
	{"Run a cell, and look after it:", "dev serve status members session limits backup bench torture"},
	{"Simulate, check and learn:", "sim tour lab check"},
	{"Look into the files of a replica:", "wal snapshot"},
}

// group sorts the commands of the program into groups. Those that are in none come last.
func group(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for name := range strings.FieldsSeq(g.commands) {
			for _, c := range root.Commands() {
				if c.Name() == name {
					c.GroupID = g.title
				}
			}
		}
	}
}
