package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/bench"
	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/server"
)

// benchmark is the command that loads a cell.
type benchmark struct {
	call
	cfg  bench.Config
	file string
}

func benchCommand() *cobra.Command {
	a := &benchmark{}
	c := &cobra.Command{
		Use:   "bench",
		Short: "Load a cell and measure how fast it answers",
		Long: `Bench runs workloads against a cell, one after the other, each with each number of
--clients, and prints a row for each. A client makes its next call when the previous one was
answered. It has its own session, unless --sessions makes clients share them. A session has
its own connection to each replica, as that of a process of its own; --connections makes
sessions share connections, as the sessions of one process do.
The default run takes about five minutes. --clients 1,16,128,1024 takes twice as long, or
more, since 1024 sessions take long to open and to close, and it needs an open file for each
client and each replica, and as many at the replicas (ulimit -n).
Before a row is measured, its load runs for a quarter of --for, a second at most. Bench
writes into a directory of its own in the root of the cell, and removes it at the end.

Workloads:
` + workloadHelp() + `
Columns (a dash: unknown):
    per second       calls answered per second
    p50, p99, p99.9  latency of a call in milliseconds: the median, and 99 % and 99.9 % of calls
    gap ms           the longest time in which no client got an answer; if the master is killed
                     meanwhile, the cost of a fail-over to clients
    errors           calls that failed; if all calls of a row did, the exit code is 1
    server CPU %     processor time in percent of one processor: of the replicas, if they run on
    client CPU %     this machine as processes of the same user (Linux); of bench; and of
    other CPU %      everything else, which should be little
    CPU us/call      processor time of replicas and bench for each call, in microseconds
    slots/s          slots of the log that the master applied; unknown, as the rest, if another
                     replica became master meanwhile
    syncs/s          syncs of the master's log
    commands/slot    commands in each slot

The workload sessions opens sessions, over one connection to each replica, and holds them:
each has a node open, and does nothing. It says how many are alive at the end, and what
a session costs the master's process; that needs each replica as a process of its own on
this machine. chubby limits shows how many sessions the cell allows.

write-8 is left out with fewer than 8 clients, and in a cell whose clients prove who they are.
If the clients of a row cannot begin, bench ends with the exit code of that error. After an
error or an interrupt it still prints the rows so far.

With -o json it prints one object: cell, replicas, processors, for_seconds,
value_bytes, interrupted, and rows, an array of workload, clients, sessions,
principals, connections, seconds, operations, per_second, p50_ms, p99_ms, p999_ms,
longest_gap_ms, errors, error (the first one), server_cpu_percent,
client_cpu_percent, other_cpu_percent, cpu_us_per_operation, slots_per_second,
syncs_per_second, commands_per_slot; null is unknown. The workload sessions has an
array of its own, held, of sessions, open_seconds, seconds, alive, in_doubt, lost,
unopened, error, keepalives_per_second, master_cpu_percent, follower_cpu_percent
(the mean of all followers), client_cpu_percent, other_cpu_percent,
master_bytes_per_session. docs/schema/chubby-bench-1.json describes all fields.`,
		Example: `  chubby bench
  chubby bench --workload write,get --clients 16 --for 30s
  chubby bench --workload sessions --clients 10000 -o json`,
		Args: cli.None(""),
	}
	a.register(c, func(ctx context.Context, _ []string) error {
		if c.Flags().Changed("workload") && len(a.cfg.Workloads) == 0 {
			return cli.Usage("--workload %q: give some of %s", "", strings.Join(bench.Workloads(), ", "))
		}
		if err := named(c, "file", "metrics"); err != nil {
			return err
		}
		return a.run(ctx)
	})
	f := c.Flags()
	f.StringSliceVar(&a.cfg.Workloads, "workload", nil, "workloads, separated by commas, in this order (default: all but those that run only if they are named)")
	f.IntSliceVar(&a.cfg.Clients, "clients", []int{1, 16, 128}, "numbers of clients, separated by commas, 1 to 4096; each workload runs with each of them")
	f.IntVar(&a.cfg.Sessions, "sessions", 0, "sessions that the clients of a row share; 0: each client has its own")
	f.IntVar(&a.cfg.Conns, "connections", 0, "connections to each replica that the sessions of a row share; 0: each session has its own")
	f.DurationVar(&a.cfg.For, "for", 10*time.Second, "how long each workload is measured with each number of clients")
	f.Uint64Var(&a.cfg.Most, "operations", 0, "end a row after this many calls, with those that fail, even before --for is over; 0: no bound")
	f.IntVar(&a.cfg.Value, "value", 100, "bytes of each value that is written, 0 to 262144")
	f.StringSliceVar(&a.cfg.Metrics, "metrics", nil, "host:port of the /metrics page of each replica, all of them, separated by commas: read slots and syncs there (default: ask the master)")
	f.StringVar(&a.file, "file", "", "also write the report to this file, as JSON")
	f.Lookup("timeout").Usage = "how long a session may take to open, and how long a row waits at its end for calls under way"
	_ = c.RegisterFlagCompletionFunc("workload", completeList(bench.Workloads())) // the flag exists
	return c
}

// workloadHelp is a line for each workload.
func workloadHelp() string {
	var text strings.Builder
	for _, name := range bench.Workloads() {
		fmt.Fprintf(&text, "    %-9s  %s\n", name, bench.Help(name))
	}
	return text.String()
}

func (a *benchmark) run(ctx context.Context) (err error) {
	cli.EndOnHangup(ctx)
	if a.cfg.Target, err = a.target(); err != nil {
		return err
	}
	a.cfg.Timeout, a.cfg.Progress = a.timeout, a.progress
	for _, addr := range a.cfg.Metrics {
		if !server.IsHostPort(addr) {
			return cli.Usage("--metrics %q: give host:port of the /metrics page of each replica", addr)
		}
	}
	if err := a.cfg.Validate(); err != nil {
		return cli.Usage("%v", err)
	}
	var file *os.File
	if a.file != "" {
		if file, err = os.Create(a.file); err != nil {
			return cli.Usage("--file: %v", err)
		}
		defer file.Close()
	}
	var report *bench.Report
	var failed error
	err = a.operate(ctx, func(_ context.Context, o *operator) error { // for as long as the run takes
		a.cfg.Counts = o.counts
		report, failed = bench.Run(ctx, a.cfg)
		return nil
	})
	if err != nil {
		return err
	}
	if report.Left != nil {
		a.Warn("%v; chubby rm -r deletes it", report.Left)
	}
	err = a.print(report)
	if file != nil {
		if unwritten := writeReport(file, report); unwritten != nil {
			return cli.Internal(errors.Join(err, fmt.Errorf("--file: %w", unwritten)))
		}
	}
	if err != nil {
		return err
	}
	if failed == nil && report.Interrupted {
		return cli.Exit(cli.ExitInterrupted)
	}
	if failed == nil && slices.ContainsFunc(report.Rows, hasFailed) {
		return cli.Exit(cli.ExitRefused) // the error was told as the row ended
	}
	return failed
}

// counts asks a replica for its counts.
func (o *operator) counts(ctx context.Context, replica uint32) (c bench.Counts, err error) {
	d, err := o.conns.Describe(ctx, replica)
	if err == nil && (d.LogSyncs == nil || d.KeepAlives == nil) {
		err = fmt.Errorf("replica %d runs an older program that does not tell its counts", replica)
	}
	return bench.Counts{Serving: d.GetServing(), Slots: d.GetAppliedSlot(), Syncs: d.GetLogSyncs(), KeepAlives: d.GetKeepAlives()}, err
}

// hasFailed reports whether no call of a row was answered without an error.
func hasFailed(r bench.Row) bool { return r.Operations == 0 && r.Errors > 0 }

// progress says on stderr what runs, and what it gave.
func (a *benchmark) progress(row bench.Row, done bool) {
	if !done {
		a.Say("%s, %d clients, %d sessions, %d connections: %v", row.Workload, row.Clients, row.Sessions, row.Conns, a.cfg.For)
		return
	}
	switch row.Workload {
	case bench.Holding: // it has no calls
		a.Say("%s: %d measured", row.Workload, row.Sessions)
	default:
		a.Say("%s, %d clients: %.0f per second", row.Workload, row.Clients, row.PerSecond)
	}
	if row.Errors > 0 {
		a.Warn("%d errors; the first: %s", row.Errors, row.Error)
	}
}

func writeReport(file *os.File, report *bench.Report) error {
	to := cli.Streams{Out: file}
	if err := to.Document(benchSchema, report); err != nil {
		return err
	}
	return file.Close()
}

func (a *benchmark) print(report *bench.Report) error {
	if a.isJSON() {
		return a.Document(benchSchema, report)
	}
	if len(report.Held) > 0 {
		if err := a.printHeld(report.Held); err != nil || len(report.Rows) == 0 {
			return err
		}
	}
	t := cli.NewNumbers(a.Out)
	t.Row("workload\tclients\tper second\tp50 ms\tp99 ms\tp99.9 ms\tgap ms\terrors\tserver CPU %%\tclient CPU %%\tother CPU %%\tCPU us/call\tslots/s\tsyncs/s\tcommands/slot\t\n")
	for _, r := range report.Rows {
		t.Row("%s\t%d\t%.0f\t%.2f\t%.2f\t%.2f\t%.0f\t%d\t", r.Workload, r.Clients, r.PerSecond, r.P50, r.P99, r.P999, r.Gap, r.Errors)
		t.Row("%s\t%s\t%s\t%s\t", figure(r.ServerCPU, 0), figure(r.ClientCPU, 0), figure(r.OtherCPU, 0), figure(r.CPUPerOp, 0))
		t.Row("%s\t%s\t%s\t\n", figure(r.Slots, 0), figure(r.Syncs, 0), figure(r.Batch, 1))
	}
	return t.End()
}

func (a *benchmark) printHeld(all []bench.Held) error {
	t := cli.NewNumbers(a.Out)
	t.Row("sessions\talive\tin doubt\tlost\tunopened\topened in s\tKeepAlives/s\tmaster CPU %%\tfollower CPU %%\tclient CPU %%\tother CPU %%\tmaster bytes/session\t\n")
	for _, r := range all {
		t.Row("%d\t%d\t%d\t%d\t%d\t%.1f\t", r.Sessions, r.Alive, r.InDoubt, r.Lost, r.Unopened, r.OpenSeconds)
		t.Row("%s\t%s\t%s\t", figure(r.KeepAlives, 0), figure(r.MasterCPU, 1), figure(r.FollowerCPU, 1))
		t.Row("%s\t%s\t%s\t\n", figure(r.ClientCPU, 0), figure(r.OtherCPU, 0), figure(r.MasterBytes, 0))
	}
	return t.End()
}

// figure is a number with so many digits behind the point, or a dash if it is unknown.
func figure(v *float64, digits int) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, *v)
}
