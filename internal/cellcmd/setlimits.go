package cellcmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// limitNames are the limits that a command changes, as -o json of chubby limits names them.
const limitNames = "principal_nodes, principal_bytes, directory_nodes, directory_bytes, sessions"

func setLimitsCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "set NAME=VALUE...",
		Short: "Change limits of the cell",
		Long: `Set changes limits of the cell and prints the new limits. Several limits change together,
in one command of the log. Limits are replicated, and a cell made from a backup keeps them.
NAME is one of ` + limitNames + `.
VALUE is a number above 0; a number of bytes may end in KiB, MiB or GiB.

The cell refuses a limit below the present use. If clients of the cell prove their identity,
the caller must be one of the operators that the replicas' configurations name (key
operators). The length of leases and the number of clients of a replica are keys of its
configuration (session_lease, session_lease_max, max_clients).`,
		Example: "  chubby limits set principal_nodes=2000000 directory_nodes=2000000\n  chubby limits set principal_bytes=1GiB sessions=50000",
		Args:    cli.Some(1, 0, "at least one limit, NAME=VALUE"),
	}
	c.ValidArgsFunction = completeLimit
	return a.register(c, func(ctx context.Context, args []string) error {
		q, err := parseLimits(args)
		if err != nil {
			return err
		}
		return a.operate(ctx, func(ctx context.Context, o *operator) error { return a.setLimits(ctx, o, q) })
	})
}

func (a *call) setLimits(ctx context.Context, o *operator, q *chubbyv1.SetLimitsRequest) error {
	id, err := o.mustMaster(ctx, "nothing was changed")
	if err != nil {
		return err
	}
	if err := o.conns.SetLimits(ctx, id, q); err != nil {
		return setLimitsError(id, err)
	}
	return a.limits(ctx, o)
}

// setLimitsError says what is known of the limits after an error of the call.
func setLimitsError(id uint32, err error) error {
	return orderError(id, err, "chubby limits shows whether they were changed", "cannot change limits: nothing was changed")
}

// parseLimits reads NAME=VALUE.
func parseLimits(args []string) (*chubbyv1.SetLimitsRequest, error) {
	q := &chubbyv1.SetLimitsRequest{}
	of := map[string]*uint64{
		"principal_nodes": &q.PrincipalNodes, "principal_bytes": &q.PrincipalBytes,
		"directory_nodes": &q.DirectoryNodes, "directory_bytes": &q.DirectoryBytes, "sessions": &q.Sessions,
	}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, cli.Usage("%q: give NAME=VALUE", arg)
		}
		to := of[name]
		if to == nil {
			return nil, cli.Usage("%q is no limit that this command changes: give one of %s%s", name, limitNames, configured(name))
		}
		if *to != 0 {
			return nil, cli.Usage("%s is given twice", name)
		}
		n, err := parseLimit(value, strings.HasSuffix(name, "_bytes"))
		if err != nil {
			return nil, cli.Usage("%s=%s: %v", name, value, err)
		}
		*to = n
	}
	return q, nil
}

// configured says where a limit is set that no command changes.
func configured(name string) string {
	switch name {
	case "session_lease", "session_lease_max":
		return "; " + name + " is a key of the replicas' configurations"
	case "clients", "max_clients":
		return "; max_clients is a key of each replica's configuration"
	}
	return ""
}

func parseLimit(text string, bytes bool) (uint64, error) {
	digits, shift, what := text, 0, "a whole number above 0"
	if bytes {
		what += ", which may end in KiB, MiB or GiB"
		for unit, s := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} { // no two fit
			if rest, ok := strings.CutSuffix(text, unit); ok {
				digits, shift = rest, s
			}
		}
	}
	n, err := strconv.ParseUint(digits, 10, 63-shift)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("give %s", what)
	}
	return n << shift, nil
}
