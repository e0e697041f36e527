package cellcmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/replica/api"
)

// generation is the lock generation of a sequencer of the cell.
func generation(sequencer string) uint64 {
	s, err := client.ParseSequencer(sequencer)
	if err != nil {
		panic(err) // the client library made it
	}
	return s.Generation
}

// checkedSequencer is what sequencer check prints with -o json; the help says so.
type checkedSequencer struct {
	Valid  bool   `json:"valid"`
	Reason string `json:"reason,omitempty"` // why it is stale
}

func sequencerCommand() *cobra.Command {
	a := &call{}
	check := &cobra.Command{
		Use:   "check PATH SEQUENCER",
		Short: "Ask whether a sequencer is valid",
		Long: `Check asks the cell whether a sequencer is valid: whether the lock of the node is held
now, in the mode and with the generation of the sequencer. chubby lock gives its command the
sequencer in CHUBBY_SEQUENCER; a Go program gets the same text from Lock.Sequencer. A server
that receives a sequencer with a request should check it before it acts.

Check prints valid, with exit code 0, or stale, with exit code 7 and the reason on stderr. A
sequencer is also stale if it is of another node, or of a node that was deleted and created
again.

With -o json it prints one object: valid (true or false), and reason, if it is stale.`,
		Example: `  chubby sequencer check /jobs/nightly "$CHUBBY_SEQUENCER"`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage("%s takes two arguments, the path of a node and a sequencer; %d given", c.CommandPath(), len(args))
			}
			return nil
		},
	}
	a.register(check, func(ctx context.Context, args []string) error {
		if _, err := client.ParseSequencer(args[1]); err != nil {
			return cli.Usage("%q is no sequencer, or one that was cut or changed: give the value of CHUBBY_SEQUENCER, which chubby lock sets for its command", args[1])
		}
		return a.onNode(ctx, args[0], client.OpenOptions{}, func(ctx context.Context, h *client.Handle) error {
			err := h.CheckSequencer(ctx, args[1])
			reason := ""
			switch {
			case errors.Is(err, client.ErrStaleSequencer):
				reason = "the lock is no longer held in its mode and generation"
			case errors.Is(err, client.ErrInvalid): // it is one, of another node
				reason = a.otherNode(h, args[1])
			case err != nil:
				return err
			}
			return a.tellSequencer(reason)
		})
	})
	return cli.Group("sequencer", "Check sequencers of locks", check)
}

// otherNode says of which node a sequencer is that is not one of the handle's.
func (a *call) otherNode(h *client.Handle, sequencer string) string {
	q, err := client.ParseSequencer(sequencer)
	n, err2 := api.ParseName(h.Name())
	switch {
	case err == nil && err2 == nil && q.Lock != n.Path.String():
		return fmt.Sprintf("it is of another node, %s", a.named(q.Lock))
	case err == nil && q.Instance != uint64(h.StatAtOpen().Instance):
		return fmt.Sprintf("it is of an earlier %s, which was deleted", a.named(q.Lock))
	}
	return "it is of another node"
}

// tellSequencer prints that a sequencer is valid, or stale for a reason.
func (a *call) tellSequencer(reason string) error {
	code, word := cli.ExitClean, "valid"
	if reason != "" {
		code, word = cli.ExitConflict, "stale"
	}
	var err error
	if a.isJSON() {
		err = a.Document(sequencerSchema, checkedSequencer{reason == "", reason})
	} else {
		err = a.Printf("%s\n", word)
	}
	if err != nil {
		return err
	}
	if reason != "" {
		a.Warn("the sequencer is stale: %s", reason)
	}
	return cli.Exit(code)
}
