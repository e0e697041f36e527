package bench

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
)

// run is one run.
type run struct {
	cfg     Config
	target  client.Target
	dir     string         // full name of a directory of its own
	own     *client.Client // makes the directory, and removes what stays
	servers []int          // processes of the replicas; nil: unknown
	report  *Report
}

// Run measures all rows, one after the other. When ctx ends it stops early and returns what it
// has measured, with Interrupted set and no error. A row whose clients cannot begin ends the
// run: the report has the rows before it.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	r := &run{cfg: cfg}
	r.target, _ = client.ParseTarget(cfg.Target) // Validate has read it
	r.dir = "/ls/" + cmp.Or(r.target.Cell, "local") + "/bench-" + rand.Text()[:8]
	if len(cfg.Workloads) == 0 {
		r.cfg.Workloads = workloadsFor(r.target)
	}
	r.report = &Report{
		Cell: r.target.Cell, Replicas: len(r.target.Replicas), Processors: runtime.NumCPU(),
		ForSeconds: cfg.For.Seconds(), ValueBytes: cfg.Value, Rows: []Row{},
	}
	err := r.begin(ctx)
	if err == nil {
		err = r.rows(ctx)
		r.end(ctx)
	}
	if r.report.Interrupted = ctx.Err() != nil; r.report.Interrupted {
		err = nil
	}
	return r.report, err
}

// begin makes the directory.
func (r *run) begin(ctx context.Context) error {
	if len(r.cfg.Metrics) > 0 {
		if _, err := masterOf(ctx, r.cfg.Metrics); err != nil {
			return err
		}
	}
	all, err := r.dialer(1).open(ctx, 1)
	if err != nil {
		return err
	}
	r.own = all[0]
	r.target = r.own.Target() // with what was found, if the cell was given by its name in DNS
	r.report.Cell, r.report.Replicas = r.target.Cell, len(r.target.Replicas)
	r.servers = serversOf(r.target)
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	h, err := r.own.Open(ctx, r.dir, client.OpenOptions{Rights: client.Write, Create: client.CreateMust, Directory: true})
	if err != nil {
		all.close(ctx)
		return fmt.Errorf("the directory of the run: %w", err)
	}
	return h.Close(ctx)
}

// end removes the rows and the directory, as far as that is possible in a short time, and notes in the report if they
// stay.
func (r *run) end(ctx context.Context) {
	before := ctx
	ctx, cancel := ending(ctx, 0)
	defer cancel()
	if err := r.remove(ctx); err != nil && !slices.Contains(r.cfg.Workloads, "fill") { // whose files stay
		r.report.Left = fmt.Errorf("%s stays in the cell: %w", r.dir, err)
	}
	sessions{r.own}.close(before)
}

// remove removes the rows and the directory of the run. The files of the clients are ephemeral, but after a fail-over
// they stay for a minute.
func (r *run) remove(ctx context.Context) error {
	pairs, err := r.own.List(ctx, r.dir+"/")
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if err := r.own.Delete(ctx, p.Key); err != nil {
			return err
		}
	}
	h, err := r.own.Open(ctx, r.dir, client.OpenOptions{Rights: client.Read | client.Write})
	if err != nil {
		return err
	}
	for c, err := range h.Children(ctx, 0) {
		if err == nil && c.Stat.Ephemeral {
			err = r.removeFile(ctx, c.Name)
		}
		if err != nil {
			return err
		}
	}
	return h.Delete(ctx)
}

// removeFile deletes a file in the directory of the run, if it is still there.
func (r *run) removeFile(ctx context.Context, name string) error {
	h, err := r.own.Open(ctx, r.dir+"/"+name, client.OpenOptions{Rights: client.Write})
	if err == nil {
		err = errors.Join(h.Delete(ctx), h.Close(ctx))
	}
	if errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrGone) {
		return nil
	}
	return err
}

func (r *run) dialer(principals int) dialer {
	return newDialer(r.cfg, max(principals, 1))
}

// rows measures all rows.
func (r *run) rows(ctx context.Context) error {
	for _, name := range r.cfg.Workloads {
		w, _ := workloadOf(name)
		numbers := r.cfg.Clients
		if w.clients > 0 {
			numbers = []int{w.clients}
		}
		for _, n := range numbers {
			if w.name == Holding {
				if r.hold(ctx, n); ctx.Err() != nil {
					return nil
				}
				continue
			}
			if w.principals > n {
				continue // as many principals as clients is another workload
			}
			row := Row{Workload: w.name, Clients: n, Sessions: n, Principals: max(w.principals, 1)}
			if r.cfg.Sessions > 0 {
				row.Sessions = min(n, r.cfg.Sessions)
			}
			row.Principals = min(row.Principals, row.Sessions)
			row.Conns = r.dialer(row.Principals).connections(row.Sessions)
			err := r.row(ctx, w, &row)
			if err == nil && (ctx.Err() == nil || row.Operations > 0 || row.Errors > 0) {
				r.report.Rows = append(r.report.Rows, row)
				r.tell(row, true)
			}
			if err != nil {
				return fmt.Errorf("%s with %d clients: %w", w.name, n, err)
			}
			if ctx.Err() != nil {
				return nil
			}
		}
	}
	return nil
}

func (r *run) tell(row Row, done bool) {
	if r.cfg.Progress != nil {
		r.cfg.Progress(row, done)
	}
}

// row measures one row.
func (r *run) row(ctx context.Context, w workload, row *Row) error {
	r.tell(*row, false)
	d := r.dialer(w.principals)
	all, err := d.open(ctx, row.Sessions)
	if err != nil {
		return err
	}
	defer all.close(ctx)
	ops := make([]operation, row.Clients)
	for i := range ops {
		number := i % len(all)
		ops[i], err = w.prepare(ctx, &worker{
			number: i, cl: all[number], dir: r.dir, value: valueOf(r.cfg.Value),
			dial: func(ctx context.Context) (*client.Client, error) { return d.dial(ctx, number) },
		})
		if err != nil {
			return err
		}
	}
	r.measure(ctx, w, row, ops)
	return nil
}

// measure has the clients run, and fills in the row.
func (r *run) measure(ctx context.Context, w workload, row *Row, ops []operation) {
	l := load{most: r.cfg.Most}
	var before, after usage
	var from, to *progress
	took := l.drive(ctx, ops, r.cfg.warm(), r.cfg.For, r.cfg.Timeout,
		func() { before, from = measure(r.servers), r.progress(ctx) },
		func() { after, to = measure(r.servers), r.progress(context.WithoutCancel(ctx)) })
	row.Seconds, row.Operations, row.Errors = took.Seconds(), l.all.n, l.errors
	if l.first != nil {
		row.Error = l.first.Error()
	}
	row.PerSecond = float64(row.Operations) / row.Seconds
	row.P50, row.P99, row.P999 = ms(l.all.quantile(0.5)), ms(l.all.quantile(0.99)), ms(l.all.quantile(0.999))
	row.Gap = ms(l.gaps.longest())
	row.addUsage(before, after, r.servers != nil)
	row.addProgress(from, to, w.commands)
}

// progress is the log of the master, as its page says, or the master itself; nil if it is unknown.
func (r *run) progress(ctx context.Context) *progress {
	if len(r.cfg.Metrics) > 0 {
		p, err := masterOf(ctx, r.cfg.Metrics)
		if err != nil {
			return nil // there is no master for a moment, or no page: the row has no figure
		}
		return &p
	}
	if r.cfg.Counts == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, masterWait)
	defer cancel()
	id := r.own.Status().Target
	c, err := r.cfg.Counts(ctx, id)
	if err != nil || !c.Serving {
		return nil // likewise
	}
	return &progress{from: fmt.Sprintf("replica %d", id), slots: float64(c.Slots), syncs: float64(c.Syncs), keepAlives: float64(c.KeepAlives)}
}

func (row *Row) addUsage(before, after usage, servers bool) {
	if !before.known || !after.known {
		return
	}
	percent := func(d time.Duration) *float64 {
		p := 100 * d.Seconds() / row.Seconds
		return &p
	}
	own, rest := after.own-before.own, after.all-before.all
	sum := own
	row.ClientCPU = percent(own)
	if !servers || after.servers < before.servers { // unknown, or one of them has ended meanwhile
		return
	}
	row.ServerCPU = percent(after.servers - before.servers)
	sum += after.servers - before.servers
	row.OtherCPU = percent(max(0, rest-sum))
	if row.Operations > 0 {
		each := float64(sum.Microseconds()) / float64(row.Operations)
		row.CPUPerOp = &each
	}
}

func (row *Row) addProgress(from, to *progress, commands int) {
	if from == nil || to == nil || from.from != to.from || to.syncs < from.syncs { // unknown, or another master meanwhile, or a new life of it
		return
	}
	slots, syncs := (to.slots-from.slots)/row.Seconds, (to.syncs-from.syncs)/row.Seconds
	row.Slots, row.Syncs = &slots, &syncs
	if commands > 0 && slots > 0 {
		batch := row.PerSecond * float64(commands) / slots
		row.Batch = &batch
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// valueOf is a value of so many bytes.
func valueOf(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = 'a' + byte(i%26)
	}
	return string(text)
}
