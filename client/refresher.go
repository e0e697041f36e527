package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// refreshEvery is how often the addresses of a cell are read again at most, while a replica is not reached, and
// refreshTime how long that may take.
const (
	refreshEvery = 5 * time.Second
	refreshTime  = 10 * time.Second
)

// refresher reads the addresses of the replicas again, from DNS or from the cell file, when one is not reached. What it
// cannot read leaves the addresses as they are. Its methods are safe for concurrent use.
type refresher struct {
	read func(ctx context.Context, missing map[uint32]bool, isMixed bool) (map[uint32]string, error)
	use  func(addrs map[uint32]string)
	log  *slog.Logger
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	busy    bool
	last    time.Time       // when it was read
	missing map[uint32]bool // replicas that were not reached since
	isMixed bool            // another replica has answered since
}

// newRefresher returns nil if the target is a list.
func newRefresher(t Target, o dialOptions, cell string) (*refresher, error) {
	r := &refresher{log: o.logger, missing: map[uint32]bool{}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	switch {
	case t.Discover != "":
		d, err := newDiscovery(t, o, cell)
		if err != nil {
			return nil, err
		}
		at := &places{d: d, current: map[uint32]string{}, known: map[string]uint32{}}
		at.note(t.Replicas)
		r.read = at.read
	case o.file != "":
		r.read = func(context.Context, map[uint32]bool, bool) (map[uint32]string, error) { return t.readAgain(o.file) }
	default:
		return nil, nil
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r, nil
}

// unreached is told that a replica was not reached. It does not block.
func (r *refresher) unreached(replica uint32, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missing[replica] = true
	r.isMixed = r.isMixed || status.Code(err) == codes.FailedPrecondition
	if r.busy || r.ctx.Err() != nil || !r.last.IsZero() && time.Since(r.last) < refreshEvery {
		return
	}
	missing, isMixed := r.missing, r.isMixed
	r.busy, r.last, r.missing, r.isMixed = true, time.Now(), map[uint32]bool{}, false
	r.wg.Go(func() { r.once(missing, isMixed) })
}

func (r *refresher) once(missing map[uint32]bool, isMixed bool) {
	ctx, cancel := context.WithTimeout(r.ctx, refreshTime)
	defer cancel()
	addrs, err := r.read(ctx, missing, isMixed)
	if err == nil {
		r.use(addrs)
	} else if r.ctx.Err() == nil {
		r.log.Warn("the addresses of the cell cannot be read again: the old ones stay", "err", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = false
}

// close ends what is under way, and waits for its end.
func (r *refresher) close() {
	r.mu.Lock()
	r.stop()
	r.mu.Unlock()
	r.wg.Wait()
}

// readAgain reads the addresses from the target's cell file. They are those of the same cell.
func (t Target) readAgain(file string) (map[uint32]string, error) {
	now, err := readTarget(file)
	switch {
	case err != nil:
		return nil, err
	case now.Discover != "":
		return nil, fmt.Errorf("cell file %s: it had replicas, and has discover now: dial again", file)
	case t.Cell != "" && now.Cell != "" && now.Cell != t.Cell:
		return nil, fmt.Errorf("cell file %s: it is that of cell %s now, and was that of %s: dial again", file, now.Cell, t.Cell)
	}
	return now.Replicas, nil
}

// places is what is known of the addresses of a cell in DNS. One goroutine at a time uses it.
type places struct {
	d       *discovery
	current map[uint32]string // of each replica; those that are not known are missing
	known   map[string]uint32 // which replica was found at an address
}

func (p *places) note(addrs map[uint32]string) {
	for id, addr := range addrs {
		if addr != "" {
			p.current[id], p.known[addr] = addr, id
		}
	}
}

// read looks the records up, and asks addresses which replica they have: new ones, and all of them if isMixed. Clients
// that have all lost the master thus do not ask all replicas. A replica that is missing gets another one of its
// addresses, if it has some.
func (p *places) read(ctx context.Context, missing map[uint32]bool, isMixed bool) (map[uint32]string, error) {
	addrs, err := p.d.lookUp(ctx)
	if err != nil {
		return nil, err
	}
	if isMixed {
		clear(p.known)
	}
	var faults []error
	asked := slices.DeleteFunc(slices.Clone(addrs), func(addr string) bool { return p.known[addr] != 0 })
	for _, a := range p.d.askAll(ctx, asked) {
		if a.err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", a.addr, a.err))
			continue
		}
		p.known[a.addr] = a.who.Replica
	}
	found := map[uint32]string{}
	for id := range p.ids() {
		of := slices.DeleteFunc(slices.Clone(addrs), func(addr string) bool { return p.known[addr] != id })
		at := slices.Index(of, p.current[id])
		switch {
		case len(of) == 0:
		case at < 0 || missing[id]:
			found[id] = of[(at+1)%len(of)]
		default:
			found[id] = of[at]
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: no address answers: %w", p.d.name.Text, errors.Join(faults...))
	}
	p.note(found)
	return found, nil
}

// ids are the replicas that have been found somewhere.
func (p *places) ids() map[uint32]bool {
	all := map[uint32]bool{}
	for _, id := range p.known {
		all[id] = true
	}
	return all
}
