package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/replica/api"
)

// Commands are all commands of the package.
func Commands() []*cobra.Command {
	all := []*cobra.Command{
		devCommand(), serveCommand(),
		lsCommand(), catCommand(), statCommand(),
		putCommand(), mkdirCommand(), rmCommand(), aclCommand(),
		lockCommand(), watchCommand(), sequencerCommand(), statusCommand(), benchCommand(), tortureCommand(),
		sessionCommand(), membersCommand(), limitsCommand(),
	}
	for _, c := range all {
		c.SuggestFor = elsewhere[c.Name()]
	}
	return all
}

// elsewhere is what commands are called in the tools of other systems.
var elsewhere = map[string][]string{
	"serve":   {"server", "agent", "start"},
	"ls":      {"list"},
	"cat":     {"get", "read"},
	"put":     {"set", "write", "create"},
	"rm":      {"del", "delete", "remove"},
	"lock":    {"elect"},
	"status":  {"health", "endpoint", "info"},
	"members": {"member", "endpoint"},
	"session": {"lease"},
	"limits":  {"quota"},
}

// pathHelp explains the argument PATH.
const pathHelp = `

PATH is a full name, /ls/CELL/a/b, or /a/b for a node of the called cell. In printed names,
CELL is the cell's name if the cell file has it, and local otherwise.`

// help is what the help of each command that calls a cell ends with.
const help = `

The cell is that of --cell, or else of the variable CHUBBY_CELL: a cell file, a list of
replicas such as 1=host:port,2=host:port, or a name in DNS. dns:///NAME:PORT takes each A and
AAAA record of NAME for the address of a replica, dns+srv:///NAME each SRV record of
_chubby._tcp.NAME. Without both it is the cell that chubby dev runs.

` + cli.CellExitHelp

// defaultTimeout is longer than a fail-over that waits for a lost client's session to end, with a session
// lease of 12 s.
const defaultTimeout = 20 * time.Second

// call is what the commands that call a cell have in common.
type call struct {
	cli.Streams
	cell    string
	timeout time.Duration
	form    cli.Form
	found   string // target, once it was looked for
	forced  bool   // rights may be taken away (see aclGuard), and what is locked may be deleted
}

// register adds the common flags to a command that calls a cell and prints something, and its help.
func (a *call) register(c *cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	a.registerMute(c, run)
	a.form.Register(c)
	return c
}

// registerMute is register for a command that prints nothing of its own, so that there is no form to choose.
func (a *call) registerMute(c *cobra.Command, run func(ctx context.Context, args []string) error) {
	a.form = cli.FormTable
	text := help
	if strings.Contains(c.Use, "PATH") {
		text = pathHelp + help
	}
	c.Long = strings.TrimSpace(c.Long) + text
	f := c.Flags()
	f.StringVar(&a.cell, "cell", "", "cell to call: a cell file, ID=HOST:PORT,ID=HOST:PORT, dns:///NAME:PORT or dns+srv:///NAME (default: $CHUBBY_CELL, or the cell of chubby dev)")
	f.DurationVar(&a.timeout, "timeout", defaultTimeout, "how long to wait for answers of the cell")
	switch {
	case strings.Contains(c.Use, "PATH"):
		c.ValidArgsFunction = a.completePath
	case !strings.Contains(c.Use, " "):
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		a.Streams = cli.StreamsOf(cmd)
		if err := a.form.Check(); err != nil {
			return err
		}
		if a.cell == "" && cmd.Flags().Changed("cell") {
			return cli.Usage("--cell \"\": give a cell file, ID=HOST:PORT,ID=HOST:PORT, dns:///NAME:PORT or dns+srv:///NAME")
		}
		if a.timeout <= 0 {
			return cli.Usage("--timeout %v: must be above 0", a.timeout)
		}
		return failure(cmd.Context(), a.explain(cmd.Context(), run(cmd.Context(), args)))
	}
}

// named refuses flags that are given and empty, as from a shell variable that is not set: the command would go on
// without what they stand for.
func named(c *cobra.Command, flags ...string) error {
	for _, flag := range flags {
		f := c.Flags().Lookup(flag)
		if text := f.Value.String(); f.Changed && (text == "" || text == "[]") {
			return cli.Usage("--%s is empty: give a value, or leave the flag out", flag)
		}
	}
	return nil
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
	if a.found != "" {
		return a.found, nil
	}
	var err error
	a.found, err = a.findTarget()
	return a.found, err
}

func (a *call) findTarget() (string, error) {
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
	return a.withCaller(ctx, cl, f(ctx, cl))
}

// onNode opens a node and calls f.
func (a *call) onNode(ctx context.Context, path string, o client.OpenOptions, f func(ctx context.Context, h *client.Handle) error) error {
	name, err := a.fullName(path)
	if err != nil {
		return err
	}
	return a.within(ctx, func(ctx context.Context, cl *client.Client) error {
		h, err := cl.Open(ctx, name, o)
		if err == nil {
			err = isAsNamed(path, h)
		}
		if err != nil {
			return err
		}
		return f(ctx, h)
	})
}

// slashed reports whether a path ends in a '/', as the names of directories do that ls prints.
func slashed(path string) bool { return len(path) > 1 && strings.HasSuffix(path, "/") }

// isAsNamed refuses a file that the user calls a directory.
func isAsNamed(path string, h *client.Handle) error {
	if slashed(path) && h.StatAtOpen().Kind != api.Directory {
		return &client.Error{Op: "open", Key: h.Name(), Causes: []error{client.ErrNotDirectory}}
	}
	return nil
}

// fileName is fullName of a path that is to be a file.
func (a *call) fileName(path string) (string, error) {
	if slashed(path) {
		return "", cli.Usage("%s: the path of a file does not end in '/'", path)
	}
	return a.fullName(path)
}

// withParent adds to the error of a call that makes a node that the directory is missing, where that is why.
func withParent(err error, name string) error {
	if !errors.Is(err, client.ErrNotFound) {
		return err
	}
	return fmt.Errorf("%w: there is no directory %q: chubby mkdir -p makes it", err, name[:strings.LastIndexByte(name, '/')])
}

// fullName is the full name of what the user calls a path. It has the cell's name if the target
// says it. One '/' at the end, as of a directory, is left out.
func (a *call) fullName(path string) (string, error) {
	if slashed(path) && path != "/ls/" {
		path = path[:len(path)-1]
	}
	rest, isFull := strings.CutPrefix(path, "/ls/")
	switch own := a.cellName(); {
	case path == "/":
		return "/ls/" + own, nil
	case isFull:
		cell, below, _ := strings.Cut(rest, "/")
		name := api.Cell(cell)
		if name.Check() != api.OK {
			return path, nil // the call says what is wrong with it
		}
		if cell != own && name != api.LocalCell {
			called := "the cell that is called is " + own
			if own == string(api.LocalCell) {
				called = "the list of replicas or the name in DNS does not say which cell is called"
			}
			return "", cli.Usage("%s: unknown cell %s: %s; give its node as /a/b, or the file of cell %s by --cell", path, cell, called, cell)
		}
		if strings.Contains(rest, "/") {
			below = "/" + below
		}
		return "/ls/" + own + below, nil
	case path == "/ls":
		return path, nil
	case strings.HasPrefix(path, "/"):
		return "/ls/" + own + path, nil
	}
	return "", cli.Usage("%q is no path: give /ls/CELL/a/b, or /a/b", path)
}

// named is the full name of a node of the called cell, by its path in the cell.
func (a *call) named(path string) string {
	if path == "/" {
		path = ""
	}
	return "/ls/" + a.cellName() + path
}

// cellName is the name of the cell that is called; "local" if the target does not say it, or is
// none.
func (a *call) cellName() string {
	target, err := a.target()
	if err != nil {
		return string(api.LocalCell)
	}
	t, err := client.ParseTarget(target)
	if err != nil || api.Cell(t.Cell).Check() != api.OK {
		return string(api.LocalCell)
	}
	return t.Cell
}
