package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
)

// Holding is the name of the workload that holds sessions. It has no operations of its own.
const Holding = "sessions"

const (
	holders = 128              // sessions that are opened, or ended, at one time
	settle  = 10 * time.Second // how long sessions are held, at most, before they are measured
	perEnd  = time.Millisecond // what the end of a session may take, on top of what ending gives
)

// Held is what the workload sessions measured with one number of sessions. Figures that could
// not be measured are nil. Processor time is in percent of one processor.
type Held struct {
	Sessions    int     `json:"sessions"`
	OpenSeconds float64 `json:"open_seconds"` // until all were open
	Seconds     float64 `json:"seconds"`      // that were measured
	Alive       int     `json:"alive"`        // at the end, by their clients
	InDoubt     int     `json:"in_doubt"`     // at the end: their clients know of no lease, and they may go on
	Lost        int     `json:"lost"`
	Unopened    int     `json:"unopened"` // sessions that could not be opened
	Error       string  `json:"error,omitempty"`

	KeepAlives  *float64 `json:"keepalives_per_second"` // that the master answered
	MasterCPU   *float64 `json:"master_cpu_percent"`
	FollowerCPU *float64 `json:"follower_cpu_percent"` // each, in the mean
	ClientCPU   *float64 `json:"client_cpu_percent"`   // of this process
	OtherCPU    *float64 `json:"other_cpu_percent"`    // of all else on this machine
	MasterBytes *float64 `json:"master_bytes_per_session"`
}

// held are the sessions of one row.
type held struct {
	all []*heldSession
}

// heldSession is a session with a node open, without which the cell would end it as idle.
type heldSession struct {
	cl *client.Client
	id uint64 // of the session
}

// hold measures one number of sessions. They share one connection to each replica.
func (r *run) hold(ctx context.Context, n int) {
	row := Held{Sessions: n}
	r.tell(Row{Workload: Holding, Clients: n, Sessions: n}, false)
	before := takeReplicas(ctx, r)
	begun := time.Now()
	h := r.openHeld(ctx, n, &row)
	defer h.close(ctx)
	row.OpenSeconds = time.Since(begun).Seconds()
	if ctx.Err() != nil {
		return // nothing was measured
	}
	pass(ctx, min(r.cfg.For, settle))
	from, all := takeReplicas(ctx, r), measure(nil)
	begun = time.Now()
	pass(ctx, r.cfg.For)
	row.Seconds = time.Since(begun).Seconds()
	to, after := takeReplicas(context.WithoutCancel(ctx), r), measure(nil)
	h.count(&row)
	row.add(before, from, to, row.Alive+row.InDoubt)
	row.addRest(all, after, to.sum(len(r.target.Replicas))-from.sum(len(r.target.Replicas)))
	r.report.Held = append(r.report.Held, row)
	r.tell(Row{Workload: Holding, Clients: n, Sessions: n, PerSecond: of(row.KeepAlives), Errors: uint64(row.Lost + row.Unopened), Error: row.Error}, true)
}

// addRest fills in the processor time of this process, and of all that is neither this process nor
// a replica.
func (row *Held) addRest(from, to usage, replicas time.Duration) {
	if !from.known || !to.known {
		return
	}
	own := to.own - from.own
	row.ClientCPU = figureOf(100 * own.Seconds() / row.Seconds)
	if replicas > 0 {
		row.OtherCPU = figureOf(100 * max(0, to.all-from.all-own-replicas).Seconds() / row.Seconds)
	}
}

func of(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// openHeld opens the sessions. Those that fail are counted.
func (r *run) openHeld(ctx context.Context, n int, row *Held) held {
	all, errs := make([]*heldSession, n), make([]error, n)
	sideBySide(n, func(i int) {
		if ctx.Err() == nil {
			all[i], errs[i] = r.openOne(ctx)
		}
	})
	var h held
	for i, s := range all {
		switch {
		case s != nil:
			h.all = append(h.all, s)
		case errs[i] != nil:
			if row.Unopened++; row.Error == "" {
				row.Error = errs[i].Error()
			}
		}
	}
	return h
}

func (r *run) openOne(ctx context.Context) (*heldSession, error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	cl, err := client.Dial(ctx, r.cfg.Target, client.WithConfig(client.Config{Cache: client.Cache{Off: true}}))
	if err != nil {
		return nil, err
	}
	if _, err := cl.Open(ctx, r.dir, client.OpenOptions{Rights: client.Read}); err != nil {
		sessions{cl}.close(ctx)
		return nil, fmt.Errorf("the node that a session holds open: %w", err)
	}
	return &heldSession{cl, uint64(cl.Status().Session)}, nil
}

// sideBySide calls do for 0 to n-1, and returns when all have returned.
func sideBySide(n int, do func(i int)) {
	places := make(chan struct{}, holders)
	var wg sync.WaitGroup
	for i := range n {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			do(i)
		})
	}
	wg.Wait()
}

// count says how the sessions are.
func (h held) count(row *Held) {
	for _, s := range h.all {
		left, ok := s.cl.LeaseLeft()
		switch st := s.cl.Status(); {
		case uint64(st.Session) != s.id || st.State != session.Open:
			row.Lost++
		case !ok || left <= 0:
			row.InDoubt++
		default:
			row.Alive++
		}
	}
}

// close ends the sessions. What the cell is not told in time expires there.
func (h held) close(ctx context.Context) {
	ctx, cancel := ending(ctx, time.Duration(len(h.all))*perEnd)
	defer cancel()
	sideBySide(len(h.all), func(i int) { _ = h.all[i].cl.Close(ctx) })
}
