package cellcmd

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/bench"
	"github.com/chubbycell/chubby/internal/cli"
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
		Long: `Bench runs workloads against a cell, each with each number of clients, one after the
other. Each client makes its next call when the previous one was answered. It has its own
session and connection, unless --sessions makes clients share them. Bench writes into a
directory that it removes at the end.

Workloads:
` + workloadHelp() + `
The longest gap is the longest time in which no client got an answer. If the master is killed
meanwhile, that is the cost of a fail-over to clients.

The workload sessions opens sessions, over one connection to each replica, and holds them:
each has a node open, and does nothing. It says how many are alive at the end, and what
a session costs the master's process; that needs each replica as a process of its own on
this machine. First raise the limit: chubby limits set sessions=60000.

Processor time is in percent of one processor: of the replicas if they run on this
machine, of the clients, and of everything else, which should be little. With --metrics, the
pages of all replicas, it says how many slots of the log the master applied per second, how
often it synced per second, and how many commands a slot had.

With -o json it prints one object: cell, replicas, processors, for_seconds,
value_bytes, interrupted, and rows, an array of workload, clients, sessions,
principals, seconds, operations, per_second, p50_ms, p99_ms, p999_ms,
longest_gap_ms, errors, error (the first one), server_cpu_percent, client_cpu_percent, other_cpu_percent,
cpu_us_per_operation, slots_per_second, syncs_per_second, commands_per_slot; null is
unknown. The workload sessions has an array of its own, held, of sessions,
open_seconds, seconds, alive, in_doubt, lost, unopened, error,
keepalives_per_second, master_cpu_percent, follower_cpu_percent (each),
client_cpu_percent, other_cpu_percent, master_bytes_per_session; docs/schema/chubby-bench-1.json describes all. An interrupt makes it print the results so far.`,
		Args: cli.None(""),
	}
	a.register(c, func(ctx context.Context, _ []string) error { return a.run(ctx) })
	f := c.Flags()
	f.StringSliceVar(&a.cfg.Workloads, "workload", nil, "workloads, in this order (default: all)")
	f.IntSliceVar(&a.cfg.Clients, "clients", []int{1, 16, 128}, "numbers of clients")
	f.IntVar(&a.cfg.Sessions, "sessions", 0, "sessions that the clients share; 0: each has its own")
	f.DurationVar(&a.cfg.For, "for", 10*time.Second, "how long each workload is measured with each number of clients")
	f.Uint64Var(&a.cfg.Most, "operations", 0, "operations after which a row ends before --for is over; 0: no bound")
	f.IntVar(&a.cfg.Value, "value", 100, "bytes of each value")
	f.StringSliceVar(&a.cfg.Metrics, "metrics", nil, "host:port of /metrics of each replica")
	f.StringVar(&a.file, "file", "", "file to write the report to as well, as JSON")
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
	if a.cfg.Target, err = a.target(); err != nil {
		return err
	}
	a.cfg.Timeout, a.cfg.Progress = a.timeout, a.progress
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
	report, failed := bench.Run(ctx, a.cfg)
	if file != nil {
		if err := writeReport(file, report); err != nil {
			return cli.Internal(fmt.Errorf("--file: %w", err))
		}
	}
	if err := a.print(report); err != nil {
		return err
	}
	if failed == nil && report.Interrupted {
		return cli.Exit(cli.ExitInterrupted)
	}
	return failed
}

// progress says on stderr what runs, and what it gave.
func (a *benchmark) progress(row bench.Row, done bool) {
	if !done {
		a.Say("%s, %d clients, %d sessions: %v", row.Workload, row.Clients, row.Sessions, a.cfg.For)
		return
	}
	a.Say("%s, %d clients: %.0f per second", row.Workload, row.Clients, row.PerSecond)
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
	t.Row("workload\tclients\tper second\tp50 ms\tp99 ms\tp99.9 ms\tgap ms\terrors\tserver CPU %%\tclient CPU %%\tother CPU %%\tus an op\tslots/s\tsyncs/s\ta slot\t\n")
	for _, r := range report.Rows {
		t.Row("%s\t%d\t%.0f\t%.2f\t%.2f\t%.2f\t%.0f\t%d\t", r.Workload, r.Clients, r.PerSecond, r.P50, r.P99, r.P999, r.Gap, r.Errors)
		t.Row("%s\t%s\t%s\t%s\t", figure(r.ServerCPU, 0), figure(r.ClientCPU, 0), figure(r.OtherCPU, 0), figure(r.CPUPerOp, 0))
		t.Row("%s\t%s\t%s\t\n", figure(r.Slots, 0), figure(r.Syncs, 0), figure(r.Batch, 1))
	}
	return t.End()
}

func (a *benchmark) printHeld(all []bench.Held) error {
	t := cli.NewNumbers(a.Out)
	t.Row("sessions\talive\tin doubt\tlost\tunopened\topened in s\tKeepAlives/s\tmaster CPU %%\tfollower CPU %%\tclient CPU %%\tother CPU %%\tmaster B a session\t\n")
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
