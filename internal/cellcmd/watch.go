package cellcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// watched is an event as -o json prints it, one object a line; the help says so.
type watched struct {
	Event  string `json:"event"`
	Node   string `json:"node"`
	Cause  uint64 `json:"cause,omitempty"`
	Child  string `json:"child,omitempty"`
	Change string `json:"change,omitempty"`
	Missed int    `json:"missed,omitempty"`
}

func watchCommand() *cobra.Command {
	a, count := &call{}, 0
	c := &cobra.Command{
		Use:   "watch PATH",
		Short: "Print what happens to a node",
		Long: `Watch prints events of a node, one per line, until it is interrupted: contents when
its contents were written; children when a child was added, removed or changed;
failover when the cell has a new master; read-again when events may be missing, so
that you should read the node; invalid when it was deleted, which ends the command with
exit code 6. It says on stderr when it has begun. A node that does not exist yet cannot be
watched: watch its directory, which has an event when the node is made.

With -o json each line is an object: event, node, cause (number of the command that
made the change), child, change, missed.`,
		Args: cli.One("path of a node"),
	}
	a.register(c, func(ctx context.Context, args []string) error { return a.watch(ctx, args[0], count) })
	c.Flags().IntVar(&count, "count", 0, "number of events to print; 0: no limit")
	return c
}

func (a *call) watch(ctx context.Context, path string, count int) error {
	name, err := a.fullName(path)
	if err != nil {
		return err
	}
	if count < 0 {
		return cli.Usage("--count %d: must be at least 0", count)
	}
	cl, done, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	short, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	h, err := cl.Open(short, name, client.OpenOptions{
		Events: client.WantContents | client.WantChildren | client.WantInvalid | client.WantFailover,
	})
	if errors.Is(err, client.ErrNotFound) {
		return fmt.Errorf("%w: watch its directory for its creation", err)
	}
	if err == nil {
		err = isAsNamed(path, h)
	}
	if err != nil {
		return err
	}
	a.Warn("watching %s", name)
	n := 0
	for e, err := range h.Events().All(ctx) {
		if err != nil {
			return err
		}
		if err := a.printEvent(e); err != nil {
			return err
		}
		if e.Kind == client.EventInvalid {
			return &client.Error{Op: "watch", Key: name, Causes: []error{client.ErrGone}}
		}
		if n++; n == count {
			return nil
		}
	}
	return errors.New("the events ended")
}

// printEvent prints one line.
func (a *call) printEvent(e client.Event) error {
	w := watched{Event: e.Kind.String(), Node: e.Node, Cause: e.Cause, Child: e.Child, Missed: e.Missed}
	if e.Kind == client.EventChildren {
		w.Change = e.Change.String()
	}
	if a.isJSON() {
		line, err := json.Marshal(w)
		if err != nil {
			return cli.Internal(err)
		}
		return a.Printf("%s\n", line)
	}
	line := w.Event + " " + w.Node
	if w.Child != "" {
		line += fmt.Sprintf(" %s %s", w.Child, w.Change)
	}
	return a.Printf("%s\n", line)
}
