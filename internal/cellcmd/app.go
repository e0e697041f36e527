package cellcmd

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// Commands are all commands of the package.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		devCommand(), serveCommand(),
		lsCommand(), catCommand(), statCommand(),
		putCommand(), mkdirCommand(), rmCommand(), aclCommand(),
		lockCommand(), watchCommand(), sequencerCommand(), statusCommand(), benchCommand(), tortureCommand(),
		sessionCommand(), membersCommand(), limitsCommand(),
	}
}

// help is what the help of each command that calls a cell ends with.
const help = `

A PATH is a full name, /ls/CELL/a/b, or /a/b for a node of the cell that is called.
The cell is that of --cell or else of CHUBBY_CELL: a cell file, or a list of replicas,
1=host:port,2=host:port. Without both it is the cell that chubby dev runs.

` + cli.CellExitHelp

// call is what the commands that call a cell have in common.
type call struct {
	cli.Streams
	cell    string
	timeout time.Duration
	form    cli.Form
	forced  bool // rights may be taken away: see aclGuard
}

// register adds the common flags to a command that calls a cell, and its help.
func (a *call) register(c *cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	c.Long = strings.TrimSpace(c.Long) + help
	f := c.Flags()
	f.StringVar(&a.cell, "cell", "", "cell file, or ID=HOST:PORT,ID=HOST:PORT (environment: CHUBBY_CELL)")
	f.DurationVar(&a.timeout, "timeout", 10*time.Second, "how long to wait for answers of the cell")
	a.form.Register(c)
	if strings.Contains(c.Use, "PATH") {
		c.ValidArgsFunction = a.completePath
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		a.Streams = cli.StreamsOf(cmd)
		if err := a.form.Check(); err != nil {
			return err
		}
		if a.timeout <= 0 {
			return cli.Usage("--timeout %v: above 0", a.timeout)
		}
		return failure(cmd.Context(), run(cmd.Context(), args))
	}
	return c
}

// isJSON reports whether the output is JSON.
func (a *call) isJSON() bool { return a.form == "json" }

// goodbye is how long a command waits for the end of its session: it frees its handles at once.
const goodbye = 2 * time.Second

// connect connects to the cell. done ends the session.
func (a *call) connect(ctx context.Context) (cl *client.Client, done func(), err error) {
	target, err := a.target()
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	cl, err = client.Dial(ctx, target, client.WithConfig(client.Config{Cache: client.Cache{Off: true}})) // a command reads once
	if err != nil {
		return nil, nil, err
	}
	return cl, func() {
		ctx, cancel := context.WithTimeout(context.Background(), goodbye)
		defer cancel()
		_ = cl.Close(ctx) // what is not said expires at the cell
	}, nil
}

// target is the cell that the user means.
func (a *call) target() (string, error) {
	target := a.cell
	if target == "" {
		target = os.Getenv("CHUBBY_CELL")
	}
	if target != "" {
		return target, nil
	}
	name, err := devFile()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(name); err != nil {
		return "", cli.Usage("no cell: give --cell or CHUBBY_CELL, or start one with: chubby dev")
	}
	if !isInUse(name) {
		return "", cli.Usage("the cell of %s does not run: start it with chubby dev, or give --cell or CHUBBY_CELL", name)
	}
	return name, nil
}

// within calls the cell once, within the timeout.
func (a *call) within(ctx context.Context, f func(ctx context.Context, cl *client.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	cl, done, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	return unreached(cl, f(ctx, cl))
}

// onNode opens a node and calls f.
func (a *call) onNode(ctx context.Context, path string, o client.OpenOptions, f func(ctx context.Context, h *client.Handle) error) error {
	name, err := fullName(path)
	if err != nil {
		return err
	}
	return a.within(ctx, func(ctx context.Context, cl *client.Client) error {
		h, err := cl.Open(ctx, name, o)
		if err != nil {
			return err
		}
		return f(ctx, h)
	})
}

// fullName is the full name of what the user calls a path.
func fullName(path string) (string, error) {
	switch {
	case path == "/":
		return "/ls/local", nil
	case path == "/ls" || strings.HasPrefix(path, "/ls/"):
		return path, nil
	case strings.HasPrefix(path, "/"):
		return "/ls/local" + path, nil
	}
	return "", cli.Usage("%q is no path: give /ls/CELL/a/b, or /a/b", path)
}
