package simcmd

import (
	"encoding/json"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/sim/experiment"
	"github.com/chubbycell/chubby/sim/runner"
)

// measureCommand returns the hidden command by which `chubby sim compare` runs a seed in another program.
func (a *app) measureCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "measure SEED [KEY=VALUE...]",
		Short:  "Print what one seed says of a cell, as JSON, for chubby sim compare",
		Hidden: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage("%s: which seed?", c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			seed, err := strconv.ParseUint(args[0], 10, 64)
			if err != nil {
				return cli.Usage("%q is no seed", args[0])
			}
			o, err := a.settings(args[1:])
			if err != nil {
				return cli.Usage("%v", err)
			}
			o.Seed = seed
			s := experiment.Measure(runner.Guard(a.simulate), o)
			if err := json.NewEncoder(a.Out).Encode(&s); err != nil {
				return cli.Internal(err)
			}
			return nil
		},
	}
}
