package torture

import (
	"context"
	"os"
	"time"

	"github.com/chubbycell/chubby/internal/draw"
)

// injector carries out a schedule.
type injector struct {
	cell    *cell
	clients []*session
	master  func() int // the replica that is believed to be master
	note    func(f Fault, on []int)
	counts  map[Kind]int
	kills   int // processes that were killed
}

// run injects faults until ctx ends, and heals the last one.
func (in *injector) run(ctx context.Context) error {
	cfg := in.cell.cfg
	for n := 0; len(cfg.Kinds) > 0; n++ {
		f := Faults(cfg.Seed, cfg.Kinds, cfg.Lease, n, 1)[0]
		if !pause(ctx, f.Wait) {
			return nil
		}
		if err := in.inject(ctx, f); err != nil {
			return err
		}
		in.counts[f.Kind]++
	}
	<-ctx.Done()
	return nil
}

// pause waits, and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// inject makes a fault, waits, and heals it.
func (in *injector) inject(ctx context.Context, f Fault) error {
	if f.Kind == Silence {
		in.silence(ctx, f)
		return nil
	}
	victims := in.victims(f)
	var ids []int
	for _, s := range victims {
		ids = append(ids, s.id)
	}
	in.note(f, ids)
	switch f.Kind {
	case Kill, Power:
		in.killAll(victims)
		pause(ctx, f.For)
		return in.startAll(victims)
	case Restart:
		in.terminate(victims)
		pause(ctx, f.For)
		return in.startAll(victims)
	case Pause:
		in.pauseAll(ctx, f, victims)
	case Starve:
		in.starve(ctx, f, victims)
	case Full:
		return in.fill(ctx, f, victims)
	case Cut:
		in.cut(f, victims, true)
		pause(ctx, f.For)
		in.cut(f, victims, false)
	case Unreachable:
		in.cutClients(f, victims, true)
		pause(ctx, f.For)
		in.cutClients(f, victims, false)
	}
	return nil
}

func (in *injector) killAll(victims []*server) {
	var ended []*process
	for _, s := range victims {
		p := s.excuse()
		p.kill()
		ended = append(ended, p)
		in.kills++
	}
	for _, p := range ended {
		<-p.ended
	}
}

// patienceOfStop is how long a replica may take to end in good order.
const patienceOfStop = 10 * time.Second

func (in *injector) terminate(victims []*server) {
	for _, s := range victims {
		p := s.excuse()
		p.terminate()
		select {
		case <-p.ended:
		case <-time.After(patienceOfStop):
			p.dump()
			<-p.ended
			in.cell.broken("stop", "replica %d did not end within %v of SIGTERM; its log has the stacks: %s", s.id, patienceOfStop, s.log.Name())
		}
	}
}

func (in *injector) startAll(victims []*server) error {
	for _, s := range victims {
		if err := in.cell.start(s); err != nil {
			return err
		}
	}
	return nil
}

// pauseAll stops processes, and lets them go on. All clients read when it stops them, so that a master has requests
// under way, and goes on with them before its overdue timers run: a short stop lets them queue, and the long one begins
// while the master works on the queue.
func (in *injector) pauseAll(ctx context.Context, f Fault, victims []*server) {
	draws := draw.New(f.Pick).Stream("pause", 0)
	stop := crowd(ctx, in.clients)
	pause(ctx, crowdFor)
	halt(victims, func() { pause(ctx, queueFor) })
	pause(ctx, draws.Duration(time.Millisecond, 4*time.Millisecond))
	halt(victims, func() { stop(); pause(ctx, f.For) })
}

// halt stops processes while a function runs.
func halt(victims []*server, while func()) {
	for _, s := range victims {
		s.process().pause()
	}
	while()
	for _, s := range victims {
		s.process().resume()
	}
}

// starve lets processes run for a moment now and then, so that their timers are late, while
// they do not reach the others, but clients reach them.
func (in *injector) starve(ctx context.Context, f Fault, victims []*server) {
	in.cut(f, victims, true)
	draws := draw.New(f.Pick).Stream("starve", 0)
	for end := time.Now().Add(f.For); time.Now().Before(end) && ctx.Err() == nil; {
		halt(victims, func() { pause(ctx, draws.Duration(20*time.Millisecond, 70*time.Millisecond)) })
		pause(ctx, draws.Duration(3*time.Millisecond, 8*time.Millisecond))
	}
	in.cut(f, victims, false)
}

func (in *injector) cut(f Fault, victims []*server, cut bool) {
	for _, s := range victims {
		in.cell.cutPeers(s, f.Way, cut)
	}
}

func (in *injector) cutClients(f Fault, victims []*server, cut bool) {
	for _, s := range victims {
		in.cell.cutClients(s, f.Way, cut)
	}
}

// fill fills the disks of replicas, which may end for it, and starts those again that did.
func (in *injector) fill(ctx context.Context, f Fault, victims []*server) error {
	for _, s := range victims {
		s.excuse()
		if err := os.WriteFile(s.full, nil, 0o600); err != nil {
			return err
		}
	}
	pause(ctx, f.For)
	for _, s := range victims {
		if err := os.Remove(s.full); err != nil {
			return err
		}
		// One that has met the full disk is about to end, and so it is killed: what it had
		// written when it met it is what counts.
		p := s.excuse()
		p.kill()
		<-p.ended
	}
	return in.startAll(victims)
}

// silence cuts off a client when it holds a lock that has a lock-delay of some length. It then
// holds on to it.
func (in *injector) silence(ctx context.Context, f Fault) {
	c := in.clients[f.Pick%uint64(len(in.clients))]
	c.silent.Store(true)
	for end := time.Now().Add(5 * time.Second); c.holds.Load() == 0 && time.Now().Before(end); {
		if !pause(ctx, 2*time.Millisecond) {
			break
		}
	}
	in.note(f, []int{c.number})
	c.cut(true)
	pause(ctx, f.For)
	c.silent.Store(false)
	c.cut(false)
}

// victims are the replicas that a fault is for.
func (in *injector) victims(f Fault) []*server {
	all := in.cell.servers
	n := len(all)
	at := int(f.Pick % uint64(n))
	if m := in.master(); (f.Who == Master || f.Who == Majority) && m > 0 {
		at = m - 1
	}
	count := 1
	switch f.Who {
	case Majority:
		count = n/2 + 1
	case All:
		count = n
	}
	var victims []*server
	for i := range count {
		victims = append(victims, all[(at+i)%n])
	}
	return victims
}
