package cellcmd

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// status is what chubby status prints with -o json; the help says so.
type status struct {
	Cell     string          `json:"cell"`
	Master   uint32          `json:"master"`
	Epoch    uint64          `json:"epoch"`
	Session  uint64          `json:"session"`
	Lease    string          `json:"lease"`
	Replicas []replicaStatus `json:"replicas"`
}

type replicaStatus struct {
	ID      uint32 `json:"id"`
	Addr    string `json:"addr"`
	Serving bool   `json:"serving"`
	Error   string `json:"error,omitempty"`
}

func statusCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "status",
		Short: "Say how a cell is, and which replica is its master",
		Long: `Status opens a session with the cell, and asks each replica whether it serves: whether
it knows a master. The exit code is 0 if the cell serves, even if replicas do not.

With -o json it prints one object: cell, master, epoch, session, lease (of the session,
a duration), and replicas, an array of id, addr, serving, error.`,
		Args: cobra.NoArgs,
	}
	return a.register(c, func(ctx context.Context, _ []string) error { return a.within(ctx, a.status) })
}

func (a *call) status(ctx context.Context, cl *client.Client) error {
	if _, err := cl.Open(ctx, "/ls/local", client.OpenOptions{}); err != nil { // answered by the master
		return err
	}
	t, now := cl.Target(), cl.Status()
	s := status{Cell: t.Cell, Master: now.Target, Epoch: uint64(now.Epoch), Session: uint64(now.Session), Lease: "none"}
	if left, ok := cl.LeaseLeft(); ok {
		s.Lease = left.Round(time.Second).String()
	}
	s.Replicas = askAll(ctx, cl, t)
	if a.isJSON() {
		return a.JSON(s)
	}
	out := cli.NewColumns(a.Out)
	if s.Cell == "" {
		s.Cell = "(the list of replicas does not say)"
	}
	out.Row("cell\t%s\nmaster\t%d\nepoch\t%d\nsession\t%d\nlease\t%s\n", s.Cell, s.Master, s.Epoch, s.Session, s.Lease)
	for _, r := range s.Replicas {
		word := "serves"
		switch {
		case r.Error != "":
			word = r.Error
		case !r.Serving:
			word = "knows no master"
		}
		out.Row("replica %d\t%s\t%s\n", r.ID, r.Addr, word)
	}
	return out.End()
}

// askAll asks all replicas at once, for two seconds at most.
func askAll(ctx context.Context, cl *client.Client, t client.Target) []replicaStatus {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	ids := slices.Sorted(maps.Keys(t.Replicas))
	all := make([]replicaStatus, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			all[i] = replicaStatus{ID: id, Addr: t.Replicas[id]}
			serving, err := cl.Serving(ctx, id)
			if all[i].Serving = serving; err != nil {
				all[i].Error = err.Error()
			}
		})
	}
	wg.Wait()
	return all
}
