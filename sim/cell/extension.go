package cell

import (
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// listen makes the checkers of an extension for this run.
func (c *Cell) listen() {
	if c.plan.With == nil {
		return
	}
	for _, p := range c.plan.With.Properties {
		k := p.New()
		c.checkers = append(c.checkers, added{p.ID, k})
		c.events.Listen(func(now time.Duration, e event.Event) { c.breaks(p.ID, k.On(now, e)) })
	}
}

// added is a checker of an extension.
type added struct {
	id string
	scenario.Checker
}

func (c *Cell) breaks(id string, err error) {
	if err != nil {
		c.world.Break(id, "%v", err)
	}
}

// conclude asks the checkers of an extension when a run is over.
func (c *Cell) conclude() {
	for _, k := range c.checkers {
		if c.world.Failure() == nil {
			c.breaks(k.id, k.End())
		}
	}
}

// counters are those of the world, for what an extension has counted.
func (c *Cell) counters() []Number {
	if c.plan.With == nil {
		return nil
	}
	var all []Number
	for _, n := range c.world.Counters() {
		all = append(all, Number{n.Name, n.N})
	}
	return all
}

// publish hands an event to who listens.
func (c *Cell) publish(e event.Event) { c.events.Publish(c.world.Now(), e) }

// pending is a part of a strike that waits for an event.
type pending struct {
	meant func(event.Event) bool
	f     func()
}

// when has f called behind the first event that is meant.
func (c *Cell) when(meant func(event.Event) bool, f func()) {
	if !c.triggered {
		c.triggered = true
		c.events.Listen(func(_ time.Duration, e event.Event) { c.comes(e) })
	}
	c.pending = append(c.pending, pending{meant, f})
}

// comes lets the strikes go on that waited for an event: at this instant, but as an
// event of the world of its own, since whatever published it is not done.
func (c *Cell) comes(e event.Event) {
	kept := c.pending[:0]
	for _, w := range c.pending {
		if w.meant(e) {
			c.later(0, w.f)
		} else {
			kept = append(kept, w)
		}
	}
	clear(c.pending[len(kept):])
	c.pending = kept
}

// strikeStage is what a strike of an extension works with.
type strikeStage struct {
	c *Cell
	d *sim.Draw
}

func (s *strikeStage) World() *sim.World        { return s.c.world }
func (s *strikeStage) Draw() *sim.Draw          { return s.d }
func (s *strikeStage) Replicas() []*sim.Machine { return s.c.replicas }
func (s *strikeStage) Clients() []*sim.Machine  { return s.c.clients }
func (s *strikeStage) Replica() *sim.Machine    { return s.c.anyReplica(s.d) }
func (s *strikeStage) Leader() *sim.Machine     { return s.c.leader(s.d) }
func (s *strikeStage) Outage() time.Duration    { return outage(s.d) }

func (s *strikeStage) Status(m *sim.Machine) (paxos.Status, bool) {
	if r := running(m); r != nil && r.host.Core() != nil {
		return r.host.Core().Status(), true
	}
	return paxos.Status{}, false
}

func (s *strikeStage) After(d time.Duration, f func())             { s.c.later(d, f) }
func (s *strikeStage) Until(d time.Duration, undo func())          { s.c.until(d, undo) }
func (s *strikeStage) When(meant func(event.Event) bool, f func()) { s.c.when(meant, f) }

// What is done to a machine is done to none where there is no leader to do it to.
func (s *strikeStage) CutPower(m *sim.Machine) { s.c.cutPower(m, s.d) }
func (s *strikeStage) Kill(m *sim.Machine)     { s.c.killed(m, s.d) }

func (s *strikeStage) Campaign(m *sim.Machine) {
	if m != nil {
		campaign(m)
	}
}

func (s *strikeStage) Resign(m *sim.Machine) {
	if m != nil {
		tell(m, func(r *replica, now time.Time) { r.host.Resign(now) })
	}
}

// CheckExtension says what is wrong with an extension: a name that is malformed or taken.
func CheckExtension(x *scenario.Extension) error {
	taken := map[string]bool{"swarm": true, "none": true, "all": true}
	for _, f := range plan.FaultKinds {
		taken[f.Name] = true
	}
	for _, w := range plan.WorkloadKinds {
		taken[w.Name] = true
	}
	for _, p := range Properties() {
		taken[p.ID] = true
	}
	return x.Check(func(name string) bool { return taken[name] })
}
