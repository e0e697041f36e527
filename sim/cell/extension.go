package cell

import (
	"time"

	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// listen makes the checkers of an extension for this run, and adds the listener of its options.
func (c *Cell) listen() {
	if c.plan.Listen != nil {
		c.events.Listen(c.plan.Listen)
	}
	if c.plan.With == nil {
		return
	}
	for _, p := range c.plan.With.Properties {
		k := p.New()
		c.checkers = append(c.checkers, added{p.ID, k})
		c.events.Listen(func(now time.Duration, e event.Event) { c.breakWith(p.ID, k.On(now, e)) })
	}
}

// added is a checker of an extension.
type added struct {
	id string
	scenario.Checker
}

func (c *Cell) breakWith(id string, err error) {
	if err != nil {
		c.world.Break(id, "%v", err)
	}
}

// conclude calls End of the checkers of an extension when a run is over.
func (c *seedRun) conclude() {
	for _, k := range c.checkers {
		if c.world.Failure() == nil {
			c.breakWith(k.id, k.End())
		}
	}
}

// counters returns the counters of the world, in which an extension may have counted; nil without
// an extension.
func (c *seedRun) counters() []Number {
	if c.plan.With == nil {
		return nil
	}
	var all []Number
	for _, n := range c.world.Counters() {
		all = append(all, Number{n.Name, n.N})
	}
	return all
}

// publish hands an event to the listeners.
func (c *Cell) publish(e event.Event) { c.events.Publish(c.world.Now(), e) }

// CheckExtension returns an error if a name in the extension is malformed or taken, or nil.
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
