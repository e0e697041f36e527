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
	Replica uint32 `json:"replica"`
	File    string `json:"file"`
	Slot    uint64 `json:"slot"`
}

// backupTimeout is the default of --timeout: a large cell takes a while to write.
const backupTimeout = time.Minute

// BackupCommand is the command that has a cell write a backup, for the group of commands that read them.
func BackupCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "now",
		Short: "Have the master write a backup now",
		Long: `Now makes the master write a backup into its backup_dir, with everything that was
acknowledged before. When the backup is durable, it prints the name of the file on the
master's machine. The next backup of backup_every follows an interval later; backup_keep
counts all backups. The cell serves meanwhile.

If clients of the cell prove their identity, the caller must be one of the principals that
the replicas' configurations name (key operators). After a timeout, exit code 8, the backup
may still be written.

With -o json it prints one object: replica, file, slot (the last slot of the log in the
backup).`,
		Args: cli.None("the file is made in the backup_dir of the master"),
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
		return a.JSON(backedUp{id, b.GetFile(), b.GetSlot()})
	}
	return a.Printf("%s\n", b.GetFile())
}

// backupError says what is known of the backup after an error of the call.
func backupError(id uint32, err error) error {
	if grpcstatus.Code(err) == grpccodes.FailedPrecondition { // of the replicas' configuration, not of this call
		return &cli.Failure{Code: cli.ExitRefused, Err: fmt.Errorf("replica %d: %s", id, words(err))}
	}
	return orderError(id, err, "the backup may be written yet; its log and its backup_dir have it then", "writes no backup on demand")
}
