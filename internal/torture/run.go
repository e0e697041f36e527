package torture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chubbycell/chubby/client"
)

// settleFor is how long the cell has, at the end, to become whole, and clients to hear of it.
const settleFor = 60 * time.Second

// run is one run.
type run struct {
	cfg   Config
	clock clock
	cell  *cell
	stop  context.CancelFunc // ends the faults and the load early

	sessions []*session
	rows     *rows
	files    *files
	locks    []*lock
	watched  *watched

	order    *order // what replicas applied; of the checking goroutine, and then of the end
	readers  []*reader
	disagree bool // replicas applied different things
	tally    tally

	ops    struct{ rows, files, locks atomic.Int64 }
	counts struct{ events atomic.Int64 }

	mu         sync.Mutex
	books      []book
	ready      []book // that are complete, and not yet judged
	violations []Violation
	first      time.Duration // when the first one was found
	fault      string        // the present one
	gap        gap
	log        *os.File // of faults
}

// Run runs servers, clients and faults, and judges what the clients saw. When ctx ends it
// stops early, and the verdict is Interrupted unless something was broken before. The error
// is about the machine, or about Config.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if !supported {
		return nil, errors.New("torture needs SIGSTOP and SIGCONT, which this operating system does not have")
	}
	r := &run{cfg: cfg}
	r.clock.begun = time.Now()
	log, err := os.Create(filepath.Join(cfg.Dir, "faults.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	r.log = log
	r.cell, err = newCell(&r.cfg, r.broken)
	defer r.cell.stop()
	if err != nil {
		return nil, err
	}
	return r.run(ctx)
}

func (r *run) run(ctx context.Context) (*Report, error) {
	loaded, stop := context.WithCancel(ctx)
	defer stop()
	r.stop = stop // replicas that end may call it as soon as they are started
	for _, s := range r.cell.servers {
		if err := r.cell.start(s); err != nil {
			return nil, err
		}
	}
	if err := r.serves(loaded); err != nil {
		return nil, err
	}
	r.rows, r.files, r.locks, r.watched = newRows(r), newFiles(r), newLocks(r), newWatched(r, 2)
	in := &injector{cell: r.cell, clients: r.sessions, master: r.master, note: r.note, counts: map[Kind]int{}}
	begun := time.Now()
	faulty, heal := context.WithTimeout(loaded, r.cfg.For)
	defer heal()
	work := r.load(loaded)
	checks := r.check(loaded)
	failed := in.run(faulty)
	took := time.Since(begun)
	r.note(Fault{Kind: "no fault"}, nil)
	if failed == nil && loaded.Err() == nil {
		r.say("the last fault is over; waiting for the cell to recover")
		settling, done := context.WithTimeout(loaded, settleFor)
		r.watched.settle(settling, r.sessions[0])
		done()
	}
	stop()
	work.Wait()
	checks.Wait()
	r.closeAll()
	r.cell.stop()
	if failed != nil {
		return nil, failed
	}
	return r.conclude(ctx, in, begun, took)
}

// serves waits until the cell serves, or something is broken before: then there is nothing to read, and no call is made.
func (r *run) serves(ctx context.Context) error {
	switch err := r.connect(ctx); {
	case err == nil:
		r.say("the cell serves; faults begin")
		return r.openApplied()
	case len(r.violationsNow()) > 0:
		r.order = newOrder()
		return nil
	default:
		return err
	}
}

// connect makes the sessions, and waits until the first of them is open.
func (r *run) connect(ctx context.Context) error {
	for i := range r.cfg.Clients {
		target, links, err := r.cell.clientLinks()
		if err != nil {
			return err
		}
		r.sessions = append(r.sessions, &session{
			number: i, target: target, links: links, times: []client.Config{calm, eager}[i%2],
		})
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, _, err := r.sessions[0].client(ctx)
	if err == context.DeadlineExceeded {
		err = fmt.Errorf("the cell did not serve within a minute of its start; the logs of the replicas in %s say why", r.cfg.Dir)
	}
	return err
}

// load starts the clients.
func (r *run) load(ctx context.Context) *sync.WaitGroup {
	var wg sync.WaitGroup
	last := int64(0)
	next := func() int64 { last++; return last }
	for i, s := range r.sessions {
		for range 2 {
			who := next()
			wg.Go(func() { r.rows.work(ctx, s, who) })
		}
		who := next()
		wg.Go(func() { r.files.work(ctx, s, who) })
		for j, l := range r.locks {
			if (i+j)%len(r.locks) != 0 || r.cfg.Clients < 6 { // two of three
				who := next()
				wg.Go(func() { l.work(ctx, s, who) })
			}
		}
	}
	wg.Go(func() { r.watched.write(ctx, r.sessions[0]) })
	for i := range r.watched.seen {
		wg.Go(func() { r.watched.watch(ctx, r.sessions[i]) })
	}
	return &wg
}

func (r *run) closeAll() {
	var wg sync.WaitGroup
	for _, s := range r.sessions {
		wg.Go(s.close)
	}
	wg.Wait()
}
