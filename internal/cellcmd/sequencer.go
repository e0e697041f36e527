package cellcmd

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/replica/api"
)

// sequencerText is a sequencer as it stands in an environment and on a command line: in base
// 64 for URLs. Inside programs it is bytes.
func sequencerText(sequencer string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(sequencer))
}

// readSequencer reads what sequencerText writes.
func readSequencer(text string) (string, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		_, err = api.ParseSequencer(string(b))
	}
	if err != nil {
		return "", cli.Usage("%q is no sequencer: chubby lock gives its command one in CHUBBY_SEQUENCER", text)
	}
	return string(b), nil
}

// generation is the lock generation of a sequencer of the cell.
func generation(sequencer string) api.LockGen {
	s, err := api.ParseSequencer(sequencer)
	if err != nil {
		panic(err) // the client library made it
	}
	return s.Gen
}

func sequencerCommand() *cobra.Command {
	a := &call{}
	check := &cobra.Command{
		Use:   "check PATH SEQUENCER",
		Short: "Ask whether a sequencer is valid",
		Long: `Check asks the cell whether a sequencer is valid: whether the lock of the node is held
now, as the sequencer says. Chubby lock gives its command the sequencer in
CHUBBY_SEQUENCER; a server that gets it with a request checks it before it acts.
It prints valid, with exit code 0, or stale, with exit code 7. Also the sequencer of another
node is stale, and that of a node which was deleted and made again: the reason goes to stderr.

With -o json it prints one object: valid (true or false), and reason, of one that is
stale.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage("%s takes two arguments, the path of a node and a sequencer; %d are there", c.CommandPath(), len(args))
			}
			return nil
		},
	}
	a.register(check, func(ctx context.Context, args []string) error {
		sequencer, err := readSequencer(args[1])
		if err != nil {
			return err
		}
		return a.onNode(ctx, args[0], client.OpenOptions{}, func(ctx context.Context, h *client.Handle) error {
			err := h.CheckSequencer(ctx, sequencer)
			reason := ""
			switch {
			case errors.Is(err, client.ErrStaleSequencer):
				reason = "its lock is not held any more as it says"
			case errors.Is(err, client.ErrInvalid): // it is one, as readSequencer has found
				reason = otherNode(h, sequencer)
			case err != nil:
				return err
			}
			return a.tellSequencer(reason)
		})
	})
	return cli.Group("sequencer", "Check sequencers of locks", check)
}

// otherNode says of which node a sequencer is that is not one of the handle's.
func otherNode(h *client.Handle, sequencer string) string {
	q, err := api.ParseSequencer(sequencer)
	n, err2 := api.ParseName(h.Name())
	switch {
	case err == nil && err2 == nil && q.Node.Path != n.Path:
		return fmt.Sprintf("it is of another node, %s", q.Node.Path)
	case err == nil && q.Node.Instance != h.StatAtOpen().Instance:
		return fmt.Sprintf("it is of an earlier %s, which was deleted", q.Node.Path)
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
		err = a.JSON(struct {
			Valid  bool   `json:"valid"`
			Reason string `json:"reason,omitempty"`
		}{reason == "", reason})
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
