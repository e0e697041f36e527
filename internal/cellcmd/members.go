package cellcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// memberList is what chubby members prints with -o json; the help says so.
type memberList struct {
	Members []memberRow `json:"members"` // each one of the cell that is called, by id
}

// memberRow is how a replica is. If it does not answer, it has id, addr and error alone, and serving is false.
type memberRow struct {
	ID       uint32 `json:"id"`
	Addr     string `json:"addr"`                    // for clients
	Peer     string `json:"peer_addr,omitempty"`     // for other replicas
	Role     string `json:"role,omitempty"`          // in the log: leader, follower or candidate
	State    string `json:"state,omitempty"`         // as a master: following, electing, recovering or serving
	Serving  bool   `json:"serving"`                 // it is the master, and has recovered
	Epoch    uint64 `json:"epoch,omitempty"`         // of the newest mastership that its data contains
	Ballot   string `json:"ballot,omitempty"`        // of the log
	Applied  uint64 `json:"applied_slot,omitempty"`  // the last slot of the log that it has applied
	Snapshot uint64 `json:"snapshot_slot,omitempty"` // the last slot of the log in its snapshot
	// Lease is how long the leader may still answer reads without the log, as text such as 1.2s.
	Lease string `json:"lease,omitempty"`
	Error string `json:"error,omitempty"` // why it does not answer
	// Commands is the version of the commands of the log that the cell uses, by the rows of this replica.
	Commands uint32   `json:"commands_in_use,omitempty"`
	Program  *program `json:"program,omitempty"`
	// Warnings of this replica, in words.
	Warnings []string `json:"warnings,omitempty"`
}

// program is what the program of a replica is, and which versions of formats it knows.
type program struct {
	Build    string       `json:"build,omitempty"` // the commit
	Commands versionRange `json:"commands"`        // of the log
	Peers    versionRange `json:"peer_messages"`
	Clients  versionRange `json:"client_messages"`
}

// versionRange has all versions from Oldest to Newest.
type versionRange struct {
	Oldest uint32 `json:"oldest"`
	Newest uint32 `json:"newest"`
}

func programOf(p *chubbyv1.Program) *program {
	if p == nil {
		return nil
	}
	of := func(r *chubbyv1.VersionRange) versionRange { return versionRange{r.GetOldest(), r.GetNewest()} }
	return &program{p.GetBuild(), of(p.GetCommands()), of(p.GetPeers()), of(p.GetClients())}
}

// commands is the version of commands in use, and the newest that the program of the replica knows, for a table: "3", or
// "3 of 4" while the cell does not use all that it knows.
func commands(inUse uint32, p *program) string {
	switch {
	case inUse == 0 || p == nil:
		return "-"
	case inUse == p.Commands.Newest:
		return fmt.Sprint(inUse)
	}
	return fmt.Sprintf("%d of %d", inUse, p.Commands.Newest)
}

func membersCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "members",
		Short: "Print the state of each member of a cell, or have its master resign",
		Long: `Members asks each replica of the cell how it is, and prints a line for each:
    role   its part in the log: leader, follower or candidate
    state  its part as a master: following, electing, recovering (after a fail-over), serving
    epoch  the number of the newest mastership that its data contains
    slot   the last slot of the log that it has applied
    lease  how long the leader may still answer reads without the log
    commands  the version of the commands of the log that the cell uses; "3 of 4" while the
           program of the replica knows version 4, and not all members do
Warnings go to stderr: a session that delays a fail-over, replicas whose data differ, why a
member does not answer. Members needs no master, and no session. The exit code is 0 if at least
one replica answers. The set of members is fixed when the cell is founded.

With -o json it prints one object: members, an array of id, addr, peer_addr, role, state,
serving, epoch, ballot, applied_slot, snapshot_slot, lease, error, commands_in_use, program,
warnings. program has the build of the replica, and the oldest and newest version that it knows of
commands (of the log), peer_messages and client_messages. Empty fields are left out. serving
is true only for the master, once it has recovered (in chubby status the field serving says
whether a replica knows a master). If no replica answers, members has their errors, and
the exit code is 8.`,
		Example: `  chubby members
  chubby members --cell cell.json -o json
  chubby members resign`,
		Args: cli.None("chubby members resign makes the master resign"),
	}
	c.AddCommand(resignCommand())
	return a.register(c, func(ctx context.Context, _ []string) error { return a.operate(ctx, a.members) })
}

func (a *call) members(ctx context.Context, o *operator) error {
	all, silent := o.describe(ctx)
	if silent != nil && !a.isJSON() {
		return silent
	}
	rows := []memberRow{}
	for _, d := range all {
		r := memberRow{
			ID: d.id, Addr: o.target.Replicas[d.id], Role: d.got.GetRole(), State: d.got.GetState(), Serving: d.got.GetServing(),
			Epoch: d.got.GetEpoch(), Ballot: d.got.GetBallot(), Applied: d.got.GetAppliedSlot(), Snapshot: d.got.GetSnapshotSlot(),
			Error: words(d.err), Commands: d.got.GetCommandsInUse(), Program: programOf(d.got.GetProgram()), Warnings: d.got.GetWarnings(),
		}
		if ms := d.got.GetLeaseLeftMs(); ms > 0 {
			r.Lease = (time.Duration(ms) * time.Millisecond).String()
		}
		for _, m := range d.got.GetMembers() {
			if m.GetId() == d.id {
				r.Peer = m.GetPeerAddr()
			}
		}
		rows = append(rows, r)
	}
	if a.isJSON() {
		if err := a.Document(membersSchema, memberList{rows}); err != nil {
			return err
		}
		return silent
	}
	t := cli.NewColumns(a.Out)
	t.Row("replica\taddress\trole\tstate\tepoch\tslot\tlease\tcommands\n")
	for _, r := range rows {
		if r.Error != "" {
			t.Row("%d\t%s\tno answer\t-\t-\t-\t-\t-\n", r.ID, blank(r.Addr))
			continue
		}
		t.Row("%d\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", r.ID, r.Addr, r.Role, r.State, r.Epoch, r.Applied, blank(r.Lease), commands(r.Commands, r.Program))
	}
	if err := t.End(); err != nil {
		return err
	}
	var told []string
	for _, r := range rows {
		if r.Error != "" {
			told = append(told, fmt.Sprintf("%s: %s", o.place(r.ID), r.Error))
		}
		for _, w := range r.Warnings {
			if line := fmt.Sprintf("replica %d: %s", r.ID, w); !slices.Contains(told, line) {
				told = append(told, line)
			}
		}
	}
	if len(told) > 0 {
		a.Warn("%s", strings.Join(told, "\n"))
	}
	return nil
}

// blank stands for what is empty in a table.
func blank(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
