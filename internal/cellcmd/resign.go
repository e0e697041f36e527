package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
)

// resigned is what members resign prints with -o json; the help says so.
type resigned struct {
	Former uint32 `json:"former"` // the replica that resigned
	Master uint32 `json:"master"` // the replica that is the master now
	Epoch  uint64 `json:"epoch"`  // of the new master
}

// resignCommand is the command that makes a master resign.
func resignCommand() *cobra.Command {
	a := &call{}
	var of uint32
	c := &cobra.Command{
		Use:   "resign",
		Short: "Make the master resign, and print which replica is master then",
		Long: `Resign makes the master step down, as before a planned stop of its machine. The
master frees the other replicas from their lease grants, and they campaign at once: they
choose the next master, and the caller cannot. Resign waits until a replica serves as the
master in a newer epoch, and prints which one. It may be the same replica again, as in a cell
of one. Sessions, locks and handles stay as they are; calls wait meanwhile.

With --replica, that replica resigns if it is the leader. If it is not, the exit code is 1, and
nothing was done. If clients of the cell prove their identity, the caller must be one of the
operators that the replicas' configurations name (key operators). After a timeout (exit code 8)
the master may have resigned; chubby members says how the replicas are.

With -o json it prints one object: former (the replica that resigned), master, epoch (of the
new master).`,
		Example: "  chubby members resign\n  chubby members resign --replica 2 -o json",
		Args:    cli.None("the replica that resigns is that of --replica, and the others choose the next master"),
	}
	c.SuggestFor = []string{"move-leader", "step-down", "stepdown", "transfer-leadership"} // in tools of other systems
	a.register(c, func(ctx context.Context, _ []string) error {
		if of == 0 && c.Flags().Changed("replica") {
			return cli.Usage("--replica 0: ids begin with 1")
		}
		return a.operate(ctx, func(ctx context.Context, o *operator) error { return a.resign(ctx, o, of) })
	})
	c.Flags().Uint32Var(&of, "replica", 0, "id of the replica that resigns (default: the present master)")
	c.Flags().Lookup("replica").DefValue = "" // the help shows no default of 0
	return c
}

// resign has a replica resign, the master if of is 0, and prints the next master.
func (a *call) resign(ctx context.Context, o *operator, of uint32) (err error) {
	if of == 0 {
		if of, err = o.mustMaster(ctx, "none resigned"); err != nil {
			return err
		}
	} else if o.target.Replicas[of] == "" {
		return cli.Usage("--replica %d: the cell that is called has no such replica; chubby members prints them", of)
	}
	done, err := o.conns.Resign(ctx, of)
	if err != nil {
		return orderError(of, err, "it may have resigned; chubby members says how the replicas are", "cannot be told to resign: SIGTERM makes it resign and stop")
	}
	next, ok := o.masterAfter(ctx, done.GetEpoch())
	if !ok {
		f := &cli.Failure{Code: cli.ExitTimeout, Err: fmt.Errorf("replica %d has resigned, and no replica serves as the master yet: chubby members says how the replicas are", of)}
		if errors.Is(ctx.Err(), context.Canceled) {
			f.Code = cli.ExitInterrupted
		}
		return f
	}
	if a.isJSON() {
		return a.Document(resignSchema, resigned{Former: of, Master: next.id, Epoch: next.got.GetEpoch()})
	}
	if next.id == of {
		return a.Printf("replica %d has resigned, and is the master again, in epoch %d\n", of, next.got.GetEpoch())
	}
	return a.Printf("replica %d has resigned; replica %d is the master, in epoch %d\n", of, next.id, next.got.GetEpoch())
}

// masterLook is the time between two questions for the next master: a fail-over takes a tenth of a second or more.
const masterLook = 50 * time.Millisecond

// masterAfter waits until a replica serves as the master in an epoch above the given one; ok is false if ctx ends
// first.
func (o *operator) masterAfter(ctx context.Context, epoch uint64) (next description, ok bool) {
	for {
		all, _ := o.describeUntil(ctx, isMasterAmong) // one that does not answer now may answer the next time
		id, serves := masterAmong(all)
		for _, d := range all {
			if serves && d.id == id && d.got.GetEpoch() > epoch {
				return d, true
			}
		}
		select {
		case <-ctx.Done():
			return description{}, false
		case <-time.After(masterLook):
		}
	}
}
