package faults

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
)

// pending is a part of a strike that waits for an event.
type pending struct {
	meant func(event.Event) bool
	f     func()
}

// triggers is the parts of strikes that wait for events.
type triggers struct {
	of      *Faults
	pending []pending
	listens bool // it listens to the events of the cell, because a part has waited
}

// when arranges that f is called after the first event for which meant is true.
func (t *triggers) when(meant func(event.Event) bool, f func()) {
	if !t.listens {
		t.listens = true
		t.of.events.Listen(func(_ time.Duration, e event.Event) { t.onEvent(e) })
	}
	t.pending = append(t.pending, pending{meant, t.of.kept(f)})
}

// onEvent continues the strikes that waited for an event. They run at this instant, but as a
// separate event of the world, because the publisher of the event has not finished.
func (t *triggers) onEvent(e event.Event) {
	kept := t.pending[:0]
	for _, w := range t.pending {
		if w.meant(e) {
			t.of.later(0, w.f)
		} else {
			kept = append(kept, w)
		}
	}
	clear(t.pending[len(kept):])
	t.pending = kept
}

// strikeStage is the Stage of a strike of an extension.
type strikeStage struct {
	c *Faults
	d *sim.Draw
}

func (s *strikeStage) World() *sim.World { return s.c.world }

func (s *strikeStage) Draw() *sim.Draw { return s.d }

func (s *strikeStage) Replicas() []*sim.Machine { return s.c.replicas }

func (s *strikeStage) Clients() []*sim.Machine { return s.c.clients }

func (s *strikeStage) Replica() *sim.Machine { return anyReplica(s.c, s.d) }

func (s *strikeStage) Leader() *sim.Machine { return s.c.leader(s.d) }

func (s *strikeStage) Outage() time.Duration { return Outage(s.d) }

func (s *strikeStage) Status(m *sim.Machine) (paxos.Status, bool) {
	if n := s.c.cluster.Core(m); n != nil {
		return n.Status(), true
	}
	return paxos.Status{}, false
}

func (s *strikeStage) After(d time.Duration, f func()) { s.c.later(d, f) }

func (s *strikeStage) Until(d time.Duration, undo func()) { s.c.until(d, undo) }

func (s *strikeStage) When(meant func(event.Event) bool, f func()) { s.c.triggers.when(meant, f) }

// These methods do nothing for a nil machine, which Leader returns if there is no leader.
func (s *strikeStage) CutPower(m *sim.Machine) { cutPower(s.c, m, s.d) }

func (s *strikeStage) Kill(m *sim.Machine) { killed(s.c, m, s.d) }

func (s *strikeStage) Campaign(m *sim.Machine) {
	if m != nil {
		s.c.cluster.Campaign(m)
	}
}

func (s *strikeStage) Resign(m *sim.Machine) {
	if m != nil {
		s.c.cluster.Resign(m)
	}
}
