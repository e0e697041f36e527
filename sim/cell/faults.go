package cell

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/wal/vfs"
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
	{"crash-all", "all replicas lose power within a moment", crashAll},
	{"kill", "a replica's process is killed; what it wrote stays", kill},
	{"depose", "the leader is made to believe that it is none, a few times in a row", depose},
	{"duel", "replicas campaign though somebody leads, a few times in a row", duel},
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
	{"slow-link", "some links are slower by an order of magnitude or two", slowLink},
	{"noise", "all links lose, double and reorder messages, with long delays", noise},
	{"disk-slow", "a disk is slower by an order of magnitude or two", diskSlow},
	{"disk-stall", "a disk answers nothing for a while", diskStall},
	{"disk-sync-error", "a sync fails and what was not synced is gone", diskSyncError},
	{"disk-write-error", "a write or a change of names fails", diskWriteError},
	{"disk-full", "a disk has no room for a while; writes end short", diskFull},
	{"clock-rate", "a clock's rate error changes", clockRate},
	{"clock-step", "wall clocks jump", clockStep},
	{"clock-freeze", "a clock stands still for a moment", clockFreeze},
	{"client-cut", "a client reaches only some replicas", clientCut},
	{"client-crash", "a client's machine loses power and starts anew", clientCrash},
	{"client-pause", "a client stands still", clientPause},
}

// FaultInfo describes a family, for lists.
type FaultInfo struct{ Name, Help string }

// Faults lists all families.
func Faults() []FaultInfo {
	var all []FaultInfo
	for _, f := range families {
		all = append(all, FaultInfo{f.name, f.help})
	}
	return all
}

func familyNamed(name string) (family, error) {
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if i < 0 {
		return family{}, fmt.Errorf("unknown fault %q; `chubby sim list` names them all", name)
	}
	return families[i], nil
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

// back starts a machine again after an outage.
func (c *Cell) back(m *sim.Machine, d *sim.Draw) { m.StartAfter(outage(d)) }

func crash(c *Cell, d *sim.Draw) { c.cutPower(c.anyReplica(d), d) }

func (c *Cell) cutPower(m *sim.Machine, d *sim.Draw) {
	if m == nil || !m.Up() {
		return
	}
	if r := running(m); r != nil {
		c.retire(r)
	}
	m.Crash()
	c.back(m, d)
}

func crashLeader(c *Cell, d *sim.Draw) {
	c.aim(d, func() { c.cutPower(c.leader(d), d) })
}

// aim strikes at once, or waits for a leader that has just proposed something
// and then for some part of what a round takes: what is under way in a slot is
// where a change of leader is hard.
func (c *Cell) aim(d *sim.Draw, strike func()) {
	if d.Chance(1, 2) {
		strike()
		return
	}
	delay := d.Duration(0, 4*c.plan.Link.Delay[0])
	c.armed = append(c.armed, func() { c.later(delay, strike) })
}

// proposed is told that a leader has just proposed: what waits for that comes.
func (c *Cell) proposed() {
	armed := c.armed
	c.armed = nil
	for _, f := range armed {
		f()
	}
}

// steps are the calls to the disk that a replica makes while it works.
var steps = []string{"disk.writeat", "disk.syncdata", "disk.sync", "disk.syncdir", "disk.create", "disk.truncate", "disk.preallocate"}

func crashMidstep(c *Cell, d *sim.Draw) {
	m, step := c.anyReplica(d), steps[d.Int(len(steps))]
	m.CrashAt(step, outage(d))
	c.until(outage(d), func() { m.CrashAt("", 0) })
}

func crashAll(c *Cell, d *sim.Draw) {
	for _, m := range c.replicas {
		c.later(d.Duration(0, 20*time.Millisecond), func() { c.cutPower(m, d) })
	}
}

func kill(c *Cell, d *sim.Draw) {
	if m := c.anyReplica(d); m.Up() {
		c.retire(running(m))
		m.Kill()
		c.back(m, d)
	}
}

// burst does something a few times, at intervals from a message's delay to an
// election's length.
func (c *Cell) burst(d *sim.Draw, f func()) {
	gap := time.Duration(d.LogUniform(int64(c.plan.Link.Delay[0]), int64(time.Second)))
	at := time.Duration(0)
	for range 1 + d.Int(6) {
		c.later(at, f)
		at += d.Duration(gap/2, 2*gap)
	}
}

// tell hands an input to a replica's process, as if an operator had asked.
func tell(m *sim.Machine, f func(r *replica, now time.Time)) {
	if r := running(m); r != nil && r.env != nil { // it may be paused before its first input
		r.env.Post(func(now time.Time) {
			f(r, now)
			r.act()
		})
	}
}

func depose(c *Cell, d *sim.Draw) {
	c.burst(d, func() {
		c.aim(d, func() { c.resign(c.leader(d), d) })
	})
}

func (c *Cell) resign(m *sim.Machine, d *sim.Draw) {
	if m == nil {
		return
	}
	tell(m, func(r *replica, now time.Time) { r.host.Resign(now) })
	if d.Chance(1, 2) { // and wants to lead again while old answers are on their way
		c.later(d.Duration(0, 2*c.plan.Link.Delay[0]), func() {
			tell(m, func(r *replica, now time.Time) { r.host.Campaign(now) })
		})
	}
}

func duel(c *Cell, d *sim.Draw) {
	c.burst(d, func() {
		tell(c.anyReplica(d), func(r *replica, now time.Time) { r.host.Campaign(now) })
	})
}

func pause(c *Cell, d *sim.Draw) { c.anyReplica(d).PauseFor(outage(d)) }

func pauseLeader(c *Cell, d *sim.Draw) {
	c.aim(d, func() {
		if m := c.leader(d); m != nil {
			m.PauseFor(outage(d))
		}
	})
}

func pauseMidstep(c *Cell, d *sim.Draw) { c.anyReplica(d).PauseAfterReading(outage(d)) }

func slowNode(c *Cell, d *sim.Draw) {
	m := c.anyReplica(d)
	m.Slow(time.Duration(d.LogUniform(int64(50*time.Microsecond), int64(5*time.Millisecond))))
	c.until(outage(d), func() { m.Slow(0) })
}

// split deals addresses into n groups, none empty where that is possible.
func split(addrs []sim.Addr, n int, d *sim.Draw) [][]sim.Addr {
	groups := make([][]sim.Addr, n)
	for i, k := range d.Perm(len(addrs)) {
		g := i
		if i >= n {
			g = d.Int(n)
		}
		groups[g] = append(groups[g], addrs[k])
	}
	return groups
}

func partition(c *Cell, d *sim.Draw) {
	addrs := c.addrs()
	if d.Chance(1, 2) {
		addrs = addrs[:len(c.replicas)] // clients reach all of them
	}
	groups := split(addrs, 2+d.Int(2), d)
	c.world.Net().Partition(groups...)
	c.until(outage(d), func() { c.world.Net().Unite(groups...) })
}

func isolateLeader(c *Cell, d *sim.Draw) {
	c.aim(d, func() { c.isolate(c.leader(d), d) })
}

func (c *Cell) isolate(m *sim.Machine, d *sim.Draw) {
	if m == nil {
		return
	}
	if d.Chance(1, 2) {
		c.world.Net().Isolate(m.Addr())
		c.until(outage(d), func() { c.world.Net().Rejoin(m.Addr()) })
		return
	}
	// Its clients still reach it: they must not be told old news.
	var others []sim.Addr
	for _, o := range c.replicas {
		if o != m {
			others = append(others, o.Addr())
		}
	}
	groups := [][]sim.Addr{{m.Addr()}, others}
	c.world.Net().Partition(groups...)
	c.until(outage(d), func() { c.world.Net().Unite(groups...) })
}

func bridge(c *Cell, d *sim.Draw) {
	addrs := c.addrs()[:len(c.replicas)]
	order := d.Perm(len(addrs))
	var sides [2][]sim.Addr
	for i, k := range order[1:] { // order[0] is the bridge
		sides[i%2] = append(sides[i%2], addrs[k])
	}
	c.world.Net().Partition(sides[0], sides[1])
	c.until(outage(d), func() { c.world.Net().Unite(sides[0], sides[1]) })
}

// someLinks picks directed links, between replicas mostly.
func (c *Cell) someLinks(d *sim.Draw) []*sim.Link {
	addrs := c.addrs()
	var links []*sim.Link
	for range 1 + d.Int(len(c.replicas)) {
		from := addrs[d.Int(len(c.replicas))]
		to := addrs[d.Int(len(addrs))]
		if d.Chance(1, 2) {
			from, to = to, from
		}
		if from != to {
			links = append(links, c.world.Net().Link(from, to))
		}
	}
	return links
}

func oneWay(c *Cell, d *sim.Draw) {
	for _, l := range c.someLinks(d) {
		l.Cut()
		c.until(outage(d), l.Mend)
	}
}

func clog(c *Cell, d *sim.Draw) {
	for _, l := range c.someLinks(d) {
		l.Clog()
		c.until(outage(d), l.Release)
	}
}

// clogTenure lets old messages meet a new tenure: some links from or to the
// leader hold everything back, the leader is made to step down, perhaps to come
// back, and when somebody begins to lead the links let go.
func clogTenure(c *Cell, d *sim.Draw) {
	m := c.leader(d)
	if m == nil {
		return
	}
	for _, o := range c.replicas {
		if o == m || d.Chance(1, 2) {
			continue
		}
		l := c.world.Net().Link(o.Addr(), m.Addr())
		if d.Chance(1, 3) {
			l = c.world.Net().Link(m.Addr(), o.Addr())
		}
		l.Clog()
		release := c.untilFirst(outage(d), l.Release)
		delay := d.Duration(0, 3*c.plan.Link.Delay[0])
		c.onTenure = append(c.onTenure, func() { c.world.After(delay, release) })
	}
	c.aim(d, func() { c.resign(m, d) })
}

// began is told that a replica begins to lead.
func (c *Cell) began() {
	waiting := c.onTenure
	c.onTenure = nil
	for _, f := range waiting {
		f()
	}
}

func slowLink(c *Cell, d *sim.Draw) {
	for _, l := range c.someLinks(d) {
		l.Slow(d.LogUniform(2, 300))
		c.until(outage(d), func() { l.Slow(1) })
	}
}

// noise makes every link bad for a while, each by its own draws.
func noise(c *Cell, d *sim.Draw) {
	loss, dup, reorder := uint32(d.N(200_000)), uint32(d.N(200_000)), uint32(d.N(300_000))
	late := sim.Table{0, time.Millisecond, 10 * time.Millisecond, outage(d), outage(d)}
	slices.Sort(late)
	noisy := c.plan.Link
	noisy.Loss, noisy.Duplicate, noisy.Reorder, noisy.Late = loss, dup, reorder, late
	c.world.Net().SetDefault(noisy)
	c.until(outage(d), func() { c.world.Net().SetDefault(c.plan.Link) })
}

func diskSlow(c *Cell, d *sim.Draw) {
	m := c.anyReplica(d)
	m.Disk().Slow(d.LogUniform(2, 200))
	c.until(outage(d), func() { m.Disk().Slow(1) })
}

func diskStall(c *Cell, d *sim.Draw) { c.anyReplica(d).Disk().Stall(outage(d)) }

// failOnce makes one of the next calls that match fail.
func (c *Cell) failOnce(m *sim.Machine, d *sim.Draw, f func(vfs.Call) vfs.Fault) {
	skip := d.Int(4)
	mem := m.Disk().Mem()
	mem.SetFault(func(call vfs.Call) vfs.Fault {
		fault := f(call)
		if fault.Err == nil {
			return fault
		}
		if skip--; skip >= 0 {
			return vfs.Fault{}
		}
		mem.SetFault(nil)
		c.diskFaults++
		return fault
	})
	c.until(outage(d), func() { mem.SetFault(nil) })
}

func diskSyncError(c *Cell, d *sim.Draw) {
	drop := d.Chance(3, 4)
	c.failOnce(c.anyReplica(d), d, func(call vfs.Call) vfs.Fault {
		if call.Op == vfs.OpSync || call.Op == vfs.OpSyncData || call.Op == vfs.OpSyncDir {
			return vfs.Fault{Err: vfs.ErrIO, Drop: drop}
		}
		return vfs.Fault{}
	})
}

func diskWriteError(c *Cell, d *sim.Draw) {
	c.failOnce(c.anyReplica(d), d, func(call vfs.Call) vfs.Fault {
		if call.Op.Changes() && call.Op != vfs.OpSync && call.Op != vfs.OpSyncData && call.Op != vfs.OpSyncDir {
			return vfs.Fault{Err: vfs.ErrIO}
		}
		return vfs.Fault{}
	})
}

// diskFull lets nothing grow for a while.
func diskFull(c *Cell, d *sim.Draw) {
	mem := c.anyReplica(d).Disk().Mem()
	short := d.Chance(1, 2)
	mem.SetFault(func(call vfs.Call) vfs.Fault {
		switch call.Op {
		case vfs.OpCreate, vfs.OpPreallocate:
			return vfs.Fault{Err: vfs.ErrNoSpace}
		case vfs.OpWriteAt:
			if short {
				return vfs.Fault{Err: vfs.ErrNoSpace, Short: call.N / 2}
			}
		}
		return vfs.Fault{}
	})
	c.until(outage(d), func() { mem.SetFault(nil) })
}

func clockRate(c *Cell, d *sim.Draw) {
	m := c.anyMachine(d)
	m.Clock().SetRate(d.Between(-c.plan.RatePPB, c.plan.RatePPB))
}

func clockStep(c *Cell, d *sim.Draw) {
	c.anyMachine(d).Clock().StepWall(d.Duration(-time.Hour, time.Hour))
}

func clockFreeze(c *Cell, d *sim.Draw) { c.anyMachine(d).Clock().Freeze(outage(d)) }

func (c *Cell) anyMachine(d *sim.Draw) *sim.Machine {
	if k := d.Int(len(c.replicas) + len(c.clients)); k < len(c.replicas) {
		return c.replicas[k]
	} else {
		return c.clients[k-len(c.replicas)]
	}
}

func clientCut(c *Cell, d *sim.Draw) {
	client := c.clients[d.Int(len(c.clients))].Addr()
	var some []sim.Addr
	for _, m := range c.replicas {
		if d.Chance(1, 2) {
			some = append(some, m.Addr())
		}
	}
	if len(some) == 0 {
		return
	}
	groups := [][]sim.Addr{{client}, some}
	c.world.Net().Partition(groups...)
	c.until(outage(d), func() { c.world.Net().Unite(groups...) })
}

func clientPause(c *Cell, d *sim.Draw) { c.clients[d.Int(len(c.clients))].PauseFor(outage(d)) }

func clientCrash(c *Cell, d *sim.Draw) {
	if m := c.clients[d.Int(len(c.clients))]; m.Up() {
		m.Crash()
		c.back(m, d)
	}
}
