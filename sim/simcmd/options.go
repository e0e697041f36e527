package simcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/cell"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/scenario"
)

// Options are what a program adds to the commands. The zero Options are `chubby sim`.
type Options struct {
	// With takes part in every seed; nil: only the built-in parts do.
	With *scenario.Extension
	// Experiments are added to the built-in ones. With takes part in every place of their grids that has no extension of
	// its own. It takes no part in built-in experiments.
	Experiments []experiment.Experiment
	// Name is what help texts call the program; "": the name of its file.
	Name string
	// Program builds the program of what, a diff or a commit, for `sim compare`. It builds in dir, which does not exist
	// yet, and returns the file of the program. nil: `sim compare` takes only settings and built programs.
	Program func(ctx context.Context, dir, what string) (file string, err error)
	// Run is the command that starts the program, for the printed command lines that run a seed again;
	// "": derived from how this process was started, such as "go run example.org/cells".
	Run string
}

// Main runs the program: Command below a root command, with os.Args, and with the signals, garbage collector settings and
// exit codes of chubby. It does not return.
func Main(o Options) {
	o = o.filled()
	root := cli.Root(o.Name, "Simulate cells under faults and check everything they do", "The simulator of chubby, with what this program adds.")
	root.AddCommand(Command(o))
	cli.Main(root)
}

// Command returns the command `sim` with its subcommands, for the command tree of a program. It uses the streams of its
// root. ExitCode gives the exit code of its error.
func Command(o Options) *cobra.Command { return newApp(o).command() }

// ExitCode returns the exit code for an error of Command; 0 for nil. If the text of an error is empty, Command has
// already printed all there is to say.
func ExitCode(err error) int { return cli.CodeOf(err) }

// filled returns the options with defaults for Name and Run.
func (o Options) filled() Options {
	if o.Name == "" {
		o.Name = filepath.Base(os.Args[0])
	}
	if o.Run == "" {
		o.Run = cli.Started("")
	}
	return o
}

// check returns what is wrong with the additions of the program.
func (o *Options) check() error {
	if o.With != nil {
		if err := cell.CheckExtension(o.With); err != nil {
			return err
		}
	}
	taken := []string{"sessions"}
	for _, e := range experiment.Catalogue() {
		taken = append(taken, e.Name)
	}
	for i := range o.Experiments {
		e := o.experiment(i)
		if slices.Contains(taken, e.Name) {
			return fmt.Errorf("experiment %q: the name is taken", e.Name)
		}
		taken = append(taken, e.Name)
		if err := e.Check(); err != nil {
			return err
		}
	}
	return nil
}

// experiment returns one of the program's experiments, with the extension in the places of its grid.
func (o *Options) experiment(i int) experiment.Experiment {
	e := o.Experiments[i]
	e.Grid = slices.Clone(e.Grid)
	for p := range e.Grid {
		if at := &e.Grid[p].Options; at.With == nil {
			at.With = o.With
		}
	}
	return e
}

// experiments returns the built-in experiments and those of the program.
func (o *Options) experiments() []experiment.Experiment {
	all := experiment.Catalogue()
	for i := range o.Experiments {
		all = append(all, o.experiment(i))
	}
	return all
}
