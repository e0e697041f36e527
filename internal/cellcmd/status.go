package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	grpccodes "google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// status is what chubby status prints with -o json; the help says so.
type status struct {
	Cell     string          `json:"cell"`            // its name; empty if the caller has no cell file
	Master   uint32          `json:"master"`          // id of the replica; 0: no session could be opened
	Epoch    uint64          `json:"epoch"`           // of the master; 0: no session could be opened
	Session  uint64          `json:"session"`         // of this command; 0: none could be opened
	Lease    string          `json:"lease"`           // of the session, as text such as 12s, or none
	Commands uint32          `json:"commands_in_use"` // version of the commands of the log; 0: no replica says it
	Replicas []replicaStatus `json:"replicas"`        // each one of the cell that is called, by id
}

// replicaStatus is what a replica says of the cell.
type replicaStatus struct {
	ID      uint32 `json:"id"`
	Addr    string `json:"addr"`            // for clients
	Serving bool   `json:"serving"`         // it knows a master, which may be the replica itself
	Error   string `json:"error,omitempty"` // why it does not answer
	// Program is not set if the replica does not say it.
	Program  *program `json:"program,omitempty"`
	commands uint32
}

func statusCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "status",
		Short: "Print the state of a cell, and which replica is its master",
		Long: `Status opens a session with the cell, and asks each replica whether it knows a master. It
prints the id of the master, its epoch, the session that status itself opened, with the lease
that is left, and a line for each replica. If the session cannot be opened in time, it says on
stderr what the replicas report of themselves, as chubby members does.

The exit code is 0 if the cell serves, even if some replicas do not answer. It is 2 if the cell
file is wrong: at one of its addresses another replica answers, or a replica of another cell.

Commands is the version of the commands of the log that the cell uses: no older program can
be a member. For a replica whose program knows newer ones, its line has that, too.

With -o json it prints one object: cell, master, epoch, session, lease (of the session,
as text such as 12s), commands_in_use (0 if no replica says it), and replicas, an array of
id, addr, serving, error, program (as chubby members has it). serving is true if
the replica knows a master, which may be the replica itself (in chubby members the field
serving is true for the master alone). If the session cannot be opened in time, it prints the
object too: master, epoch and session are 0, lease is none.`,
		Example: `  chubby status
  chubby status --cell cell.json -o json`,
		Args: cli.None(""),
	}
	return a.register(c, func(ctx context.Context, _ []string) error {
		err := a.within(ctx, func(ctx context.Context, cl *client.Client) error {
			return a.operate(ctx, func(ctx context.Context, o *operator) error { return a.status(ctx, cl, o) })
		})
		if a.isJSON() && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return errors.Join(err, a.operate(ctx, a.statusWithoutMaster))
		}
		return err
	})
}

// statusWithoutMaster prints what is known of a cell that opens no session, to programs: people read the error.
func (a *call) statusWithoutMaster(ctx context.Context, o *operator) error {
	s := status{Cell: o.target.Cell, Lease: "none"}
	s.Replicas, _ = o.askAll(ctx)
	s.Commands = inUse(s.Replicas)
	return a.printStatus(s)
}

func (a *call) status(ctx context.Context, cl *client.Client, o *operator) error {
	if _, err := cl.Open(ctx, "/ls/local", client.OpenOptions{}); err != nil { // answered by the master
		return err
	}
	t, now := cl.Target(), cl.Status()
	s := status{Cell: t.Cell, Master: now.Target, Epoch: uint64(now.Epoch), Session: uint64(now.Session), Lease: "none"}
	if left, ok := cl.LeaseLeft(); ok {
		s.Lease = left.Round(100 * time.Millisecond).String()
	}
	var wrong []string
	s.Replicas, wrong = o.askAll(ctx)
	s.Commands = inUse(s.Replicas)
	if err := a.printStatus(s); err != nil {
		return err
	}
	if len(wrong) > 0 {
		return cli.Usage("the cell file is wrong: at these addresses other replicas answer\n%s", strings.Join(wrong, "\n"))
	}
	return nil
}

func (a *call) printStatus(s status) error {
	if a.isJSON() {
		return a.Document(statusSchema, s)
	}
	out := cli.NewColumns(a.Out)
	if s.Cell == "" {
		s.Cell = "(unknown: only a cell file has the name)"
	}
	out.Row("cell\t%s\nmaster\t%d\nepoch\t%d\nsession\t%d (of this command)\nlease\t%s\n", s.Cell, s.Master, s.Epoch, s.Session, s.Lease)
	if s.Commands > 0 {
		out.Row("commands\tversion %d\n", s.Commands)
	}
	for _, r := range s.Replicas {
		word := "knows no master"
		switch {
		case r.Error != "":
			word = r.Error
		case r.ID == s.Master:
			word = "is the master"
		case r.Serving:
			word = "knows a master"
		}
		if r.Program != nil && r.Program.Commands.Newest > s.Commands {
			word += fmt.Sprintf(", and knows commands up to version %d", r.Program.Commands.Newest)
		}
		out.Row("replica %d\t%s\t%s\n", r.ID, blank(r.Addr), word)
	}
	return out.End()
}

// inUse is the version of commands that the cell uses, as the replica says it that knows most.
func inUse(all []replicaStatus) (v uint32) {
	for _, r := range all {
		v = max(v, r.commands)
	}
	return v
}

// askAll asks all replicas at once, for two seconds at most. wrong says of each that is not the one
// of the cell file which one it is.
func (o *operator) askAll(ctx context.Context) (all []replicaStatus, wrong []string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	ids := slices.Sorted(maps.Keys(o.target.Replicas))
	all = make([]replicaStatus, len(ids))
	isWrong := make([]bool, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			r := replicaStatus{ID: id, Addr: o.target.Replicas[id]}
			serving, err := o.conns.Health(ctx, id)
			if err == nil { // which replica it is, that question is not
				var d *chubbyv1.ReplicaDescription
				d, err = o.conns.Describe(ctx, id)
				r.Program, r.commands = programOf(d.GetProgram()), d.GetCommandsInUse()
				if isWrong[i] = grpcstatus.Code(err) == grpccodes.FailedPrecondition; !isWrong[i] {
					err = nil
				}
			}
			if r.Error = words(err); err == nil {
				r.Serving = serving
			}
			all[i] = r
		})
	}
	wg.Wait()
	for i, r := range all {
		if isWrong[i] {
			wrong = append(wrong, fmt.Sprintf("%s: %s", o.place(r.ID), r.Error))
		}
	}
	return all, wrong
}
