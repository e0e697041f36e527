package cellcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	grpccodes "google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/cli"
)

// backedUp is what backup now prints with -o json; the help says so.
type backedUp struct {
	Replica uint32 `json:"replica"` // the master that wrote it
	File    string `json:"file"`    // on the machine of the replica
	Slot    uint64 `json:"slot"`    // the last one of the log in the backup
}

// backupTimeout is the default of --timeout: a large cell takes a while to write.
const backupTimeout = time.Minute

// BackupCommand is the command that has a cell write a backup, for the group of commands that read them.
func BackupCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "now",
		Short: "Have the master write a backup now",
		Long: `Now makes the master write a backup into its backup_dir. The backup contains every change
that was acknowledged before the call. When it is durable, now prints the name of its file on
the master's machine. The cell serves meanwhile. The next backup of backup_every follows a
whole interval later; backup_keep counts these backups, too.

If clients of the cell prove their identity, the caller must be one of the operators that the
replicas' configurations name (key operators). After a timeout (exit code 8) the backup may
still be written.

With -o json it prints one object: replica, file, slot (the last slot of the log in the
backup).`,
		Example: "  chubby backup now\n  chubby backup now --timeout 5m -o json",
		Args:    cli.None("the file is made in the backup_dir of the master"),
	}
	a.register(c, func(ctx context.Context, _ []string) error { return a.operate(ctx, a.backup) })
	timeout := c.Flags().Lookup("timeout")
	a.timeout, timeout.DefValue = backupTimeout, backupTimeout.String()
	return c
}

func (a *call) backup(ctx context.Context, o *operator) error {
	id, err := o.mustMaster(ctx, "no backup was written")
	if err != nil {
		return err
	}
	b, err := o.conns.Backup(ctx, id)
	if err != nil {
		return backupError(id, err)
	}
	if a.isJSON() {
		return a.Document(backupNowSchema, backedUp{id, b.GetFile(), b.GetSlot()})
	}
	return a.Printf("%s\n", b.GetFile())
}

// backupError says what is known of the backup after an error of the call.
func backupError(id uint32, err error) error {
	if grpcstatus.Code(err) == grpccodes.FailedPrecondition { // of the replicas' configuration, not of this call
		return &cli.Failure{Code: cli.ExitRefused, Err: fmt.Errorf("replica %d: %s", id, words(err))}
	}
	return orderError(id, err, "the backup may still be written; the log of that replica and its backup_dir then have it", "writes no backup on demand: replace its program, or wait for the next backup of backup_every")
}
