package cellcmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// lockList is what session locks prints with -o json; the help says so.
type lockList struct {
	Locks []lockRow `json:"locks"`
}

// lockRow is a lock that a session holds.
type lockRow struct {
	Path      string `json:"path"`            // the full name of the node
	Mode      string `json:"mode"`            // exclusive or shared
	Session   uint64 `json:"session"`         // id of the holder
	Principal string `json:"principal"`       // of the session
	State     string `json:"state"`           // of the session, as in chubby session list
	Lease     string `json:"lease,omitempty"` // that is left, as text such as 12s; left out if the cell has no master
}

func locksCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "locks [PATH]",
		Short: "List the locks that are held, with their holders",
		Long: `Locks prints a line for each lock that a session holds: path, mode, session, principal, state
of the session, and the lease that it has left. With PATH it prints the holders of that node's
lock only. It asks the sessions one after the other, so it may miss a lock that changes hands
meanwhile. It does not print locks whose holder was lost and whose lock-delay runs.

` + sessionHelp + `

With -o json it prints one object: locks, an array of path, mode, session, principal, state,
lease.`,
		Example: "  chubby session locks\n  chubby session locks /jobs/nightly",
		Args:    cli.Some(0, 1, "one path at most"),
	}
	return a.register(c, func(ctx context.Context, args []string) error {
		of := ""
		if len(args) > 0 {
			var err error
			if of, err = a.fullName(args[0]); err != nil {
				return err
			}
		}
		return a.operate(ctx, func(ctx context.Context, o *operator) error { return a.listLocks(ctx, o, of) })
	})
}

func (a *call) listLocks(ctx context.Context, o *operator, of string) error {
	rows := []lockRow{}
	id, err := a.sessionSource(ctx, o)
	if err != nil {
		return err
	}
	var holders []uint64
	ownOnly, err := a.sessions(ctx, o, id, func(s *chubbyv1.SessionDescription) bool {
		if s.GetLocks() > 0 {
			holders = append(holders, s.GetId())
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, holder := range holders {
		s, err := o.session(ctx, id, holder)
		if err != nil {
			return err
		}
		r := a.sessionOf(s) // empty if it has ended
		for _, h := range r.Held {
			if of == "" || h.Path == of {
				rows = append(rows, lockRow{h.Path, h.Mode, r.ID, r.Principal, r.State, r.Lease})
			}
		}
	}
	switch {
	case of == "" || len(rows) > 0:
	case ownOnly:
		a.Warn("no session of this caller's principal holds the lock of %s; another principal may hold it, which only operators see", of)
	default:
		a.Warn("no session holds the lock of %s; chubby stat %s says whether there is such a node", of, cli.Quote(of))
	}
	if a.isJSON() {
		return a.Document(sessionLocksSchema, lockList{rows})
	}
	t := cli.NewColumns(a.Out)
	t.Row("lock\tmode\tsession\tprincipal\tstate\tlease\n")
	for _, r := range rows {
		t.Row("%s\t%s\t%d\t%s\t%s\t%s\n", r.Path, r.Mode, r.Session, r.Principal, r.State, blank(r.Lease))
	}
	return t.End()
}
