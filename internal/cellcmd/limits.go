package cellcmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// limits is what chubby limits prints with -o json; the help says so.
type limits struct {
	PrincipalNodes uint64 `json:"principal_nodes"`   // that one principal may own
	PrincipalBytes uint64 `json:"principal_bytes"`   // of contents of these nodes
	DirectoryNodes uint64 `json:"directory_nodes"`   // that one directory may hold
	DirectoryBytes uint64 `json:"directory_bytes"`   // of contents of these nodes
	Sessions       uint64 `json:"sessions"`          // that may be alive
	SessionsNow    uint64 `json:"sessions_now"`      // that are alive
	LeaseMin       string `json:"session_lease"`     // while sessions are few, as text such as 12s
	LeaseMax       string `json:"session_lease_max"` // when they are many, as text such as 1m0s
	Clients        uint64 `json:"clients"`           // processes that a replica serves at one time
}

// errNoLimits is the answer of a cell that was not founded yet.
var errNoLimits = errors.New("the cell has no limits yet, since it has had no master so far: chubby members says how the replicas are")

func limitsCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "limits",
		Short: "Print or change the limits of a cell: nodes, bytes, sessions",
		Long: `Limits prints the limits of the cell: how many nodes one principal may own and one
directory may hold, how many bytes of contents these nodes may have, and how many sessions
may be alive. chubby limits set changes these limits. It also prints two settings of the
master's configuration: the length of session leases, while sessions are few and when they
are many, and how many client processes a replica serves at one time.

With -o json it prints one object: principal_nodes, principal_bytes, directory_nodes,
directory_bytes, sessions, sessions_now, session_lease, session_lease_max, clients. Leases are
text such as 12s.`,
		Example: `  chubby limits
  chubby limits set sessions=50000`,
		Args: cli.None("chubby limits set NAME=VALUE changes one"),
	}
	c.AddCommand(setLimitsCommand())
	return a.register(c, func(ctx context.Context, _ []string) error { return a.operate(ctx, a.limits) })
}

// newest is what the replica of the newest epoch says, the master if it serves; nil if none answers.
func newest(all []description) (of *chubbyv1.ReplicaDescription) {
	for _, d := range all {
		isNewer := of == nil || d.got.GetEpoch() > of.GetEpoch()
		if d.err == nil && (isNewer || d.got.GetServing() && d.got.GetEpoch() == of.GetEpoch()) {
			of = d.got
		}
	}
	return of
}

func (a *call) limits(ctx context.Context, o *operator) error {
	all, err := o.describeUntil(ctx, isMasterAmong)
	if err != nil {
		return err
	}
	of := newest(all)
	l := of.GetLimits()
	if l.GetPrincipalNodes() == 0 && l.GetDirectoryNodes() == 0 {
		return &cli.Failure{Code: cli.ExitRefused, Err: errNoLimits}
	}
	length := func(ms uint64) string { return (time.Duration(ms) * time.Millisecond).String() }
	r := limits{
		PrincipalNodes: l.GetPrincipalNodes(), PrincipalBytes: l.GetPrincipalBytes(),
		DirectoryNodes: l.GetDirectoryNodes(), DirectoryBytes: l.GetDirectoryBytes(),
		Sessions: l.GetSessions(), SessionsNow: of.GetSessions(),
		LeaseMin: length(l.GetSessionLeaseMs()), LeaseMax: length(l.GetSessionLeaseMaxMs()), Clients: l.GetClients(),
	}
	if !of.GetServing() {
		a.Warn("no replica serves as the master: these are the limits that replica %d has, which may be old, and its own settings of leases and clients", of.GetReplica())
	}
	if a.isJSON() {
		return a.Document(limitsSchema, r)
	}
	t := cli.NewColumns(a.Out)
	t.Row("a principal owns\t%d nodes\t%d bytes\n", r.PrincipalNodes, r.PrincipalBytes)
	t.Row("a directory holds\t%d nodes\t%d bytes\n", r.DirectoryNodes, r.DirectoryBytes)
	t.Row("sessions\t%d\t%d now\n", r.Sessions, r.SessionsNow)
	t.Row("session lease\t%s\t%s where sessions are many\n", r.LeaseMin, r.LeaseMax)
	t.Row("clients\t%d\tat each replica\n", r.Clients)
	return t.End()
}
