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
	// With takes part in every seed; nil: nothing beside what is built in.
	With *scenario.Extension
	// Experiments stand behind those that are built in. With takes part in their places
	// unless a place has an extension of its own; in the built-in ones it does not.
	Experiments []experiment.Experiment
	// Name is what help texts call the program; "": the name of its file.
	Name string
	// Program builds, below a directory that is not there yet, the program of a diff or of a commit for
	// `sim compare`, and returns its file; nil: only what is built can be compared.
	Program func(ctx context.Context, dir, what string) (file string, err error)
	// Run is the command that starts the program, for the lines that run a seed again;
	// "": found out, such as "go run example.org/cells".
	Run string
}

// Main runs the program: Command below a root, with os.Args, signals, the settings of the
// garbage collector and the exit codes of chubby. It does not return.
func Main(o Options) {
	o = o.filled()
	root := cli.Root(o.Name, "Simulate cells under faults and check everything they do", "The simulator of chubby, with what this program adds.")
	root.AddCommand(Command(o))
	cli.Main(root)
}

// Command is the command `sim` with all below it, for the tree of a program. It reads and
// prints where its root does. ExitCode tells what its error means.
func Command(o Options) *cobra.Command { return newApp(o).command() }

// ExitCode is the exit code that an error of Command leads to: 0 without one. An error
// whose text is empty has been told already.
func ExitCode(err error) int { return cli.CodeOf(err) }

// filled are the options with what is found out about the program.
func (o Options) filled() Options {
	if o.Name == "" {
		o.Name = filepath.Base(os.Args[0])
	}
	if o.Run == "" {
		o.Run = cli.Started("")
	}
	return o
}

// check says what is wrong with what a program adds: a fault of that program.
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

// experiment is one of those that the program adds, with the extension in its places.
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

// experiments are all there are.
func (o *Options) experiments() []experiment.Experiment {
	all := experiment.Catalogue()
	for i := range o.Experiments {
		all = append(all, o.experiment(i))
	}
	return all
}
