package cell

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/scenario"
)

// family is one kind of fault. A seed switches each family on or off; one that
// is on strikes again and again, at intervals around a mean drawn for the seed,
// except during lulls.
type family struct {
	name string
	help string
	// strike does the fault once. What it begins it must also end: it schedules
	// the end through c.until, which heals at the latest when the safety phase
	// is over.
	strike func(c *Cell, d *sim.Draw)
}

// families are all kinds of faults, in the order of reports.
var families = []family{
	{"crash", "a replica loses power; its disk keeps a seeded choice of unsynced writes", crash},
	{"crash-leader", "the replica that leads loses power", crashLeader},
	{"crash-midstep", "a replica loses power at its next call of one kind to the disk", crashMidstep},
	{"crash-mending", "a replica loses power between the two copies of a register, or is killed there and loses power while that is mended", halfMended},
	{"crash-all", "all replicas lose power within a moment", crashAll},
	{"kill", "a replica's process is killed; what it wrote stays", kill},
	{"depose", "the leader is made to believe that it is none, a few times in a row", depose},
	{"duel", "replicas campaign though somebody leads, a few times in a row", duel},
	{"rebirth", "a candidate loses power before its promise is on disk, and campaigns again while the first answers are on their way", rebirth},
	{"pause", "a replica stands still while its clock goes on", pause},
	{"pause-leader", "the replica that leads stands still", pauseLeader},
	{"pause-midstep", "a replica stands still between reading its clock and acting", pauseMidstep},
	{"slow-node", "a replica takes long for each input", slowNode},
	{"partition", "the replicas fall into two or three groups", partition},
	{"isolate-leader", "the leader is cut off from replicas, or from all", isolateLeader},
	{"bridge", "two halves reach each other through one replica only", bridge},
	{"one-way", "some directed links lose everything", oneWay},
	{"clog", "some directed links hold everything back, then let it go", clog},
	{"clog-tenure", "what some replicas and the leader say to each other is held back until somebody begins to lead", clogTenure},
	{"succession", "the leader leads alone with its clients; whoever leads next steps down as the first comes back", succession},
	{"slow-link", "some links are slower by an order of magnitude or two", slowLink},
	{"noise", "all links lose, double and reorder messages, with long delays", noise},
	{"disk-slow", "a disk is slower by an order of magnitude or two", diskSlow},
	{"disk-stall", "a disk, or a majority of them, answers nothing for a while", diskStall},
	{"disk-sync-error", "a sync fails and what was not synced is gone", diskSyncError},
	{"disk-write-error", "a write or a change of names fails", diskWriteError},
	{"disk-full", "a disk has no room for a while; writes end short", diskFull},
	{"clock-rate", "a clock's rate error changes", clockRate},
	{"clock-step", "wall clocks jump", clockStep},
	{"clock-freeze", "a replica's wall clock, or all of a client's clock, stands still for a moment", clockFreeze},
	{"lease-edge", "the leader, with the slowest clock allowed, is cut off from the others, with the fastest", leaseEdge},
	{"client-cut", "a client reaches only some replicas", clientCut},
	{"client-crash", "a client's machine loses power and starts anew", clientCrash},
	{"client-pause", "a client stands still", clientPause},
	{"disk-rot-value", "values that a log has synced go bad; often the replica starts again, without one that has them, or is asked for votes that their leader has not heard of", rotValue},
	{"disk-rot", "synced headers, runs of bytes, or copies of a register go bad", rotStore},
	{"disk-misdirect", "what was written stands in another place, and old bytes where it should be", misdirect},
	{"memory-stray", "a row is written in the memory of one replica, and in no log", stray},
	{"disk-read-error", "a read fails; late in a run, sectors of the log are unreadable for good", readError},
	{"disk-forget", "late in a run, files are gone, or a replica's promise is that of a while ago", forget},
	{"disk-rot-snapshot", "the newest snapshot on a disk goes bad", rotSnapshot},
	{"echo", "a replica or a client ends, and what was said to it comes once more to its next life", echo},
	{"lose-source", "a replica is away for a while; in the middle of fetching a snapshot it loses its source, and hears an old piece again; or its disk stands still at the end", loseSource},
	{"late", "what a replica sends while its disk makes nothing durable comes again when it has lost power, and leads at the ballot that it has forgotten", late},
}

// FaultInfo describes a family, for lists.
type FaultInfo struct{ Name, Help string }

// Faults lists all families, with those of an extension, if there is one.
func Faults(with *scenario.Extension) []FaultInfo {
	var all []FaultInfo
	for _, f := range familiesWith(with) {
		all = append(all, FaultInfo{f.name, f.help})
	}
	return all
}

// everyFamily names them all, in their order.
func everyFamily(with *scenario.Extension) []string {
	var all []string
	for _, f := range familiesWith(with) {
		all = append(all, f.name)
	}
	return all
}

func familyNamed(name string, with *scenario.Extension) (family, error) {
	all := familiesWith(with)
	i := slices.IndexFunc(all, func(f family) bool { return f.name == name })
	if i < 0 {
		return family{}, fmt.Errorf("unknown fault %q; `chubby sim list` names them all", name)
	}
	return all[i], nil
}

// nemesis strikes with one family for the length of the safety phase.
type nemesis struct {
	cell  *Cell
	f     family
	mean  time.Duration
	draws *sim.Draw
}

func (n *nemesis) next() {
	// Between a tenth and twice the mean: bursts and gaps.
	n.cell.world.After(n.draws.Duration(n.mean/10, 2*n.mean), n.turn)
}

func (n *nemesis) turn() {
	if n.cell.healed {
		return
	}
	if !n.cell.lull() {
		n.cell.struck(n.f.name)
		n.f.strike(n.cell, n.draws)
	}
	n.next()
}

// outage is a time for which something is broken: mostly short, at times long.
func outage(d *sim.Draw) time.Duration {
	return time.Duration(d.LogUniform(int64(5*time.Millisecond), int64(8*time.Second)))
}

func (c *Cell) anyReplica(d *sim.Draw) *sim.Machine {
	return c.replicas[d.Int(len(c.replicas))]
}

// leader is a machine whose node believes it leads, nil if there is none; with
// several, one of them.
func (c *Cell) leader(d *sim.Draw) *sim.Machine {
	var found []*sim.Machine
	for _, m := range c.replicas {
		if r := running(m); r != nil && r.host.Node() != nil && r.host.Node().Leads() {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[d.Int(len(found))]
}

func running(m *sim.Machine) *replica {
	r, _ := m.Process().(*replica)
	return r
}

// aim strikes at once, or waits for a leader that has just proposed something, or has
// just met a command of a drawn kind, and then for some part of what a round takes:
// what is under way in a slot is where a change of leader is hard.
func (c *Cell) aim(d *sim.Draw, strike func()) {
	if d.Chance(1, 3) {
		strike()
		return
	}
	delay := d.Duration(0, 4*c.plan.Link.Delay[0])
	then := func() { c.later(delay, strike) }
	if d.Chance(1, 2) {
		c.armed = append(c.armed, then)
		return
	}
	c.awaits(d, then)
}

// proposed is told that a leader has just proposed: what waits for that comes.
func (c *Cell) proposed() {
	armed := c.armed
	c.armed = nil
	for _, f := range armed {
		f()
	}
}
