package faults

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/scenario"
)

// strikes maps each built-in kind of fault to its strike. What a strike begins it must also end: it
// schedules the end with c.until, which heals at the latest when the safety phase is over. Names
// and descriptions are in the plan (plan.Faults).
var strikes = map[string]func(c *Faults, d *sim.Draw){
	"crash":             crash,
	"crash-leader":      crashLeader,
	"crash-midstep":     crashMidstep,
	"crash-mending":     halfMended,
	"crash-all":         crashAll,
	"kill":              kill,
	"depose":            depose,
	"duel":              duel,
	"rebirth":           rebirth,
	"pause":             pause,
	"pause-leader":      pauseLeader,
	"pause-midstep":     pauseMidstep,
	"slow-node":         slowNode,
	"partition":         partition,
	"isolate-leader":    isolateLeader,
	"bridge":            bridge,
	"one-way":           oneWay,
	"clog":              clog,
	"clog-tenure":       clogTenure,
	"succession":        succession,
	"slow-link":         slowLink,
	"noise":             noise,
	"disk-slow":         diskSlow,
	"disk-stall":        diskStall,
	"disk-sync-error":   diskSyncError,
	"disk-write-error":  diskWriteError,
	"disk-full":         diskFull,
	"clock-rate":        clockRate,
	"clock-step":        clockStep,
	"clock-freeze":      clockFreeze,
	"lease-edge":        leaseEdge,
	"client-cut":        clientCut,
	"client-crash":      clientCrash,
	"client-pause":      clientPause,
	"disk-rot-value":    rotValue,
	"disk-rot":          rotStore,
	"disk-misdirect":    misdirect,
	"memory-stray":      stray,
	"disk-read-error":   readError,
	"disk-forget":       forget,
	"disk-rot-snapshot": rotSnapshot,
	"echo":              echo,
	"lose-source":       loseSource,
	"late":              late,
	"late-copy":         lateCopies,
	"lose-news":         loseNews,
	"late-answer":       overtakeAnswers,
	"disconnect":        disconnect,
}

// strikeNamed returns the strike of a kind of fault, built in or of an extension; nil if there is
// none.
func strikeNamed(name string, with *scenario.Extension) func(c *Faults, d *sim.Draw) {
	if s := strikes[name]; s != nil || with == nil {
		return s
	}
	for _, f := range with.Faults {
		if f.Name() == name {
			return func(c *Faults, d *sim.Draw) { f.Strike(&strikeStage{c, d}) }
		}
	}
	return nil
}

// nemesis strikes with one kind of fault for the length of the safety phase.
type nemesis struct {
	of     *Faults
	kind   string
	strike func(*Faults, *sim.Draw)
	mean   time.Duration
	stream uint64 // the entity of the draws
	draws  *sim.Draw
}

func (n *nemesis) next() {
	// Between a tenth and twice the mean: bursts and gaps.
	sim.AfterApart(n.of.world, n.draws.Duration(n.mean/10, 2*n.mean), n.turn)
}

func (n *nemesis) turn() {
	if n.of.healed {
		return
	}
	if !lull(n.of) {
		f := plan.Fault{Kind: n.kind, N: n.of.strikes[n.kind] + 1}
		n.of.struck(f)
		n.strike(n.of, recorded(n, f))
	}
	n.next()
}

// Outage draws for how long something is broken: usually short, at times long.
func Outage(d *sim.Draw) time.Duration {
	return time.Duration(d.LogUniform(int64(5*time.Millisecond), int64(8*time.Second)))
}

func anyReplica(c *Faults, d *sim.Draw) *sim.Machine {
	return c.replicas[d.Int(len(c.replicas))]
}

// leader returns a machine whose node believes that it leads, or nil if there is none. If there are
// several, it draws one.
func (c *Faults) leader(d *sim.Draw) *sim.Machine {
	var found []*sim.Machine
	for _, m := range c.replicas {
		if n := c.cluster.Core(m); n != nil && n.IsLeader() {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[d.Int(len(found))]
}

// aim strikes at once, or waits for a leader that has just proposed something, or that has just met
// a command of a drawn kind. Then it waits for some part of a round: a change of leader is hardest
// with work under way in a slot.
func (c *Faults) aim(d *sim.Draw, strike func()) {
	if d.Chance(1, 3) {
		strike()
		return
	}
	delay := d.Duration(0, 4*c.plan.Link.Delay[0])
	then := c.kept(func() { c.later(delay, strike) })
	if d.Chance(1, 2) {
		c.armed = append(c.armed, then)
		return
	}
	awaitMoment(c, d, then)
}

// OnProposal is called when a leader has just proposed. It runs the strikes that wait for that.
func (c *Faults) OnProposal() {
	armed := c.armed
	c.armed = nil
	for _, f := range armed {
		f()
	}
}
