package cellcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// watched is an event as -o json prints it, one object a line; the help says so.
type watched struct {
	Event  string `json:"event"`            // contents, children, failover, read-again or invalid
	Node   string `json:"node"`             // the full name of the node that is watched
	Cause  uint64 `json:"cause,omitempty"`  // number of the command that made the change
	Child  string `json:"child,omitempty"`  // of children: its name in the directory
	Change string `json:"change,omitempty"` // of children: added, removed or changed
	Missed int    `json:"missed,omitempty"` // events that were left out before this one
}

func watchCommand() *cobra.Command {
	a, count := &call{}, 0
	c := &cobra.Command{
		Use:   "watch PATH",
		Short: "Print the events of a node",
		Long: `Watch prints the events of a node, one per line, until it is interrupted:
    contents NODE               the contents were written
    children NODE CHILD CHANGE  a child was added, removed or changed
    failover NODE               the cell has a new master
    read-again NODE             events may be missing: read the node again
    invalid NODE                the node was deleted; watch ends, with exit code 6
An event says that there was a change, not what the contents are: read the node after it.

Watch says on stderr when it has begun, when it has lost contact with the cell, and when the
cell answers again. If the cell does not answer for longer than the session lasts, watch ends
with exit code 10: read the node, and watch it again. Watch cannot watch a node that does not
exist: watch the directory, which has an event when the node is created.

With -o json each line is one object: event, node, cause (number of the command that
made the change), child, change, missed (number of events that were left out before this one).`,
		Example: `  chubby watch /config
  chubby watch --count 1 /config && chubby cat /config    # wait for the next event`,
		Args: cli.One("path of a node"),
	}
	a.register(c, func(ctx context.Context, args []string) error { return a.watch(ctx, args[0], count) })
	c.Flags().IntVar(&count, "count", 0, "end after this many events, with exit code 0; 0: no limit")
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
		return fmt.Errorf("%w: watch its directory, which has an event when it is created", err)
	}
	if err == nil {
		err = isAsNamed(path, h)
	}
	if err != nil {
		return a.withCaller(ctx, cl, err)
	}
	a.Warn("watching %s", name)
	defer cl.Events().Each(ctx, func(e client.Event) { a.tellContact(cl, e) })()
	n := 0
	var invalid client.Event // printed once it is known that it tells a deletion
	for e, err := range h.Events().All(ctx) {
		switch {
		case errors.Is(err, client.ErrSessionExpired):
			return fmt.Errorf("%w: changes were missed perhaps; read the node, and watch it again", err)
		case errors.Is(err, client.ErrGone):
			if err := a.printEvent(invalid); err != nil {
				return err
			}
			return &client.Error{Op: "watch", Key: name, Causes: []error{client.ErrGone}}
		case err != nil:
			return err
		case e.Kind == client.EventInvalid: // the reason follows
			invalid = e
			continue
		}
		if err := a.printEvent(e); err != nil {
			return err
		}
		if n++; n == count {
			return nil
		}
	}
	return errors.New("the events ended")
}

// tellContact tells whether events can come, as far as the session's events say so.
func (a *call) tellContact(cl *client.Client, e client.Event) {
	switch e.Kind {
	case client.EventJeopardy:
		a.Warn("the cell does not answer: no events come for now%s", reason(cl))
	case client.EventSafe:
		a.Warn("the cell answers again")
	}
}

// printEvent prints one line.
func (a *call) printEvent(e client.Event) error {
	w := watched{Event: e.Kind.String(), Node: e.Node, Cause: e.Cause, Child: e.Child, Missed: e.Missed}
	if e.Kind == client.EventChildren {
		w.Change = e.Change.String()
	}
	if a.isJSON() {
		return a.Line(watchSchema, w)
	}
	line := w.Event + " " + w.Node
	if w.Child != "" {
		line += fmt.Sprintf(" %s %s", w.Child, w.Change)
	}
	return a.Printf("%s\n", line)
}
