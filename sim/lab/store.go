package lab

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/resource"
)

// Resource is the name of the machine that keeps the counter.
const Resource = "resource"

// store is the resource as a machine of the world: package sim/resource decides, this asks the lock
// service where the guard is CheckThenAct, and puts what is decided into the time line.
type store struct {
	bench *Bench
	value *resource.Resource
	asks  map[uint64]ask // by number of the request
}

// ask is what is known of a request beside its bytes: under which grant it is made, and, for the
// checkers, in which hold.
type ask struct {
	grant Grant
	hold  *Hold
}

func newStore(b *Bench) *store {
	s := &store{bench: b, value: resource.New(b.variant.Guard), asks: map[uint64]ask{}}
	b.add(Resource, sim.MachineConfig{}, s.main)
	return s
}

// expect is told of each request before it is sent.
func (s *store) expect(id uint64, g Grant, h *Hold) { s.asks[id] = ask{g, h} }

// main serves requests, each on a coroutine of its own: one that waits for the lock service holds up
// no other.
func (s *store) main(n *Node) {
	n.asked = func(from sim.Addr, q resource.Ask) {
		switch {
		case s.bench.variant.Inside:
			s.transact(n, from, q)
		case s.value.Mode == CheckThenAct:
			n.Go("request", func() { s.check(n, from, q) })
		default:
			s.decide(n, from, q)
		}
	}
}

// transact looks at the lock, and acts at the same instant.
func (s *store) transact(n *Node, from sim.Addr, q resource.Ask) {
	g := s.asks[q.ID].grant
	lock, can := s.bench.lock.(Transactor)
	if !can {
		panic(fmt.Sprintf("variant %q: its Lock keeps no data (Transactor)", s.bench.variant.Name))
	}
	switch owns, up := lock.Owns(&g); {
	case !up:
	case owns:
		s.decide(n, from, q)
	default:
		s.refused(from, q, "the lock is another holder's")
		n.rt.Env().Send(from, resource.Tell{ID: q.ID}.Encode())
	}
}

// check asks the lock service first. Between its answer and the deed time passes, which is the flaw
// of this guard.
func (s *store) check(n *Node, from sim.Addr, q resource.Ask) {
	g := s.asks[q.ID].grant
	asker, can := s.bench.lock.(Questioner)
	if !can {
		panic(fmt.Sprintf("variant %q: its Lock cannot be asked (Questioner)", s.bench.variant.Name))
	}
	if asker.Ask(n, &g) {
		s.bench.comes(Resource, Checked)
		n.Sleep(breath)
		s.decide(n, from, q)
		return
	}
	s.refused(from, q, "the lock service does not know the grant")
	n.rt.Env().Send(from, resource.Tell{ID: q.ID}.Encode())
}

func (s *store) decide(n *Node, from sim.Addr, q resource.Ask) {
	highest, before := s.value.Highest, len(s.value.Log)
	t := s.value.Decide(int64(s.bench.Now()), int64(from), &q)
	n.rt.Env().Send(from, t.Encode())
	who := s.bench.nameOf(from)
	switch again := len(s.value.Log) == before; {
	case again:
	case !t.Accepted && q.Token() < highest:
		s.refused(from, q, fmt.Sprintf("token %d is below %d", q.Token()-1, highest-1))
	case !t.Accepted:
		s.refused(from, q, "it was made from an older version").Conflict = true
	case q.Write:
		s.bench.Say(Resource, "takes %s's write of %d%s", who, q.Value, tokenText(s.asks[q.ID].grant.Token))
		s.bench.sees.writes.add(s.bench.Now(), who, &q, s.asks[q.ID].hold, true)
	default:
		s.bench.Say(Resource, "gives %s the value %d", who, t.Value)
	}
}

func (s *store) refused(from sim.Addr, q resource.Ask, why string) *Write {
	who, what := s.bench.nameOf(from), "read"
	if q.Write {
		what = fmt.Sprintf("write of %d", q.Value)
	}
	s.bench.Say(Resource, "refuses %s's %s: %s", who, what, why)
	return s.bench.sees.writes.add(s.bench.Now(), who, &q, s.asks[q.ID].hold, false)
}

// sequencer is a token as package sim/resource reads it: one higher, since a system without
// tokens has 0, and there is no sequencer 0.
func sequencer(token uint64) string {
	return api.Sequencer{Node: api.Ref{Instance: 1}, Mode: api.Exclusive, Gen: api.LockGen(token + 1)}.Text()
}

func tokenText(token uint64) string {
	if token == 0 {
		return ""
	}
	return fmt.Sprintf(" (token %d)", token)
}

// seconds prints a time for people.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
