package restore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/disk/backup"
	"github.com/chubbycell/chubby/replica/disk/diskjobs"
	"github.com/chubbycell/chubby/replica/disk/store"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/damage"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/wal/vfs"
)

// Cell is a new cell of three replicas, in a world of its own without faults. It begins with
// the newest backup of a cell whose run is over.
type Cell struct {
	old    Old
	World  *sim.World
	Epoch  uint64        // epoch of the rows that it begins with
	Above  uint64        // it gives out only greater numbers
	Lease  time.Duration // longest lease that the old cell may have granted at its end
	Stat   map[string]api.Stat
	Text   map[string]string // contents of files
	Rows   map[string]string // rows of users
	grant  time.Duration     // Grant of leases, as the rows have it; 0: they do not say
	Ended  bool              // its client has read and locked all
	wrong  string            // the first thing seen that must not be
	broken string            // the property that this breaks
}

// Old is a cell whose run is over, and its newest backup.
type Old struct {
	Plan     *plan.Plan
	World    *sim.World // where the new cell's faults are reported, as those of the old cell's run
	Slot     paxos.Slot // slot of the backup
	Numbered api.Number // the last command that the old cell executed
	Epoch    api.Epoch  // its last epoch
	Top      paxos.Slot // its last slot
}

// New makes a new cell of a backup of the old one, and starts it. It returns nil, and breaks
// a property, if that is impossible.
func New(c Old, b *backup.Backup) *Cell {
	was := c.Lived(b)
	r := &Cell{old: c, Above: was.Number, Lease: was.Lease}
	r.expect(b)
	draws := c.World.Draw("cell.reborn", 0)
	made, err := b.Restore(backup.Restoration{
		Members: []paxos.NodeID{1, 2, 3}, Secret: [32]byte{byte(draws.Int(255)) + 1, 1}, Nonce: api.Nonce{draws.Uint64(), 1},
		Lease: c.Plan.Driver.Core.Sessions.LeaseMax,
	})
	if err != nil {
		c.World.Break("S3", "of the backup of slot %d no cell can be made: %v", c.Slot, err)
		return nil
	}
	if f := was.ComesBack(made); f != (model.Finding{}) {
		c.World.Break(f.ID, "the cell that is made of the backup of slot %d %s", c.Slot, f.Text)
		return nil
	}
	r.Epoch = made.Handle.Epoch
	r.World = sim.New(sim.Config{Seed: draws.Uint64(), Link: c.Plan.Link, Steps: 50_000_000})
	r.build(made)
	return r
}

// expect records what the new cell must have.
func (r *Cell) expect(b *backup.Backup) {
	r.Stat, r.Text, r.Rows = map[string]api.Stat{}, map[string]string{}, map[string]string{}
	for ref, stat := range tree.Nodes(b.Rows) {
		r.Stat[ref.Path.String()] = stat
		if stat.Kind == api.File {
			r.Text[ref.Path.String()], _, _ = tree.Contents(b.Rows, ref)
		}
	}
	if grant, ok := rows.GetConstant(b.Rows, "lease grant"); ok {
		var err error
		r.grant, err = time.ParseDuration(grant)
		cannotFail(err)
	}
	for key, value := range b.Rows.Scan(rows.UserKey("")) {
		r.Rows[key[len(rows.UserKey("")):]] = value
	}
}

// build writes the new cell's directories to the disks of new machines.
func (r *Cell) build(made backup.Restored) {
	for _, id := range made.Handle.Members {
		m := r.World.Add(sim.MachineConfig{Process: func() sim.Process { return &newborn{of: r, id: id} }, Disk: r.old.Plan.Disk})
		mem, salt := vfs.NewMem(), r.World.Draw("reborn.salt", uint64(id))
		options := r.old.Plan.Store
		options.Salt = salt.Uint64
		cannotFail(made.Write(mem, damage.DataDir, options))
		if f := checkDisk(mem, made.Handle); f != (model.Finding{}) {
			r.fail(f.ID, "replica %d %s", id, f.Text)
		}
		m.Disk().Replace(mem)
		m.Start()
	}
	r.World.Add(sim.MachineConfig{Addr: sim.FirstClient, Process: sim.Program(r.program), Disk: r.old.Plan.Disk}).Start()
}

// Run runs the new cell until its client has read and locked all, and reports a broken
// property to the old cell's world. The first master waits out the leases of the old cell.
func (r *Cell) Run() {
	c, limit := r.old, 2*plan.RecoveryBound+2*r.old.Plan.Driver.Core.Sessions.LeaseMax
	for !r.Ended && r.wrong == "" {
		end := r.World.RunFor(100 * time.Millisecond)
		switch f := r.World.Failure(); {
		case f != nil:
			c.World.Break(f.ID, "in the cell that was made of the backup of slot %d: %s", c.Slot, f.Text)
			return
		case end != sim.Reached || r.World.Now() > limit:
			c.World.Break("L1", "%v after its birth the cell that was made of the backup of slot %d has not served all", r.World.Now(), c.Slot)
			return
		}
	}
	if r.wrong != "" {
		c.World.Break(r.broken, "in the cell that was made of the backup of slot %d: %s", c.Slot, r.wrong)
	}
}

// fail records what must not be, and the property that it breaks. Only the first call counts.
func (r *Cell) fail(id, format string, args ...any) {
	if r.wrong == "" {
		r.broken, r.wrong = id, fmt.Sprintf(format, args...)
	}
}

// program reads all that the backup has, and locks each file.
func (r *Cell) program(rt *sim.Runtime) {
	ctx := context.Background()
	cl := client.New(rt, client.Config{
		Replicas: []uint32{1, 2, 3}, Draw: rt.Env().Draw("reborn.client").Uint64,
		Rho: int64(r.old.Plan.Driver.Core.Paxos.Lease.Rho), Grace: time.Minute, AnswerWait: 300 * time.Millisecond,
		Cache: client.Cache{Off: true}, // the whole Stat is compared
	})
	r.compareRows(ctx, cl)
	for _, path := range slices.Sorted(maps.Keys(r.Stat)) {
		r.visit(ctx, cl, path, r.Stat[path])
	}
	r.visit(ctx, cl, "/reborn", api.Stat{})
	if err := cl.Put(ctx, "reborn", "yes"); err != nil {
		r.fail("S3", "a row cannot be put: %v", err)
	}
	r.Ended = true
}

// compareRows reads all rows, one by one if they exceed one answer, and compares them with
// the backup.
func (r *Cell) compareRows(ctx context.Context, cl *client.Client) {
	pairs, err := cl.List(ctx, "")
	switch long := r.Long(); {
	case long && errors.Is(err, client.ErrTooLarge):
		for _, key := range slices.Sorted(maps.Keys(r.Rows)) {
			var value string
			if value, err = cl.Get(ctx, key); err != nil {
				break
			}
			pairs = append(pairs, client.Pair{Key: key, Value: value})
		}
	case long:
		r.fail("S3", "%d rows in one answer, %v, which are more than it may have", len(pairs), err)
	}
	if err != nil || len(pairs) != len(r.Rows) {
		r.fail("S3", "%d rows, %v, where the backup has %d", len(pairs), err, len(r.Rows))
	}
	for _, p := range pairs {
		if r.Rows[p.Key] != p.Value {
			r.fail("S3", "row %q is %q, in the backup %q", p.Key, p.Value, r.Rows[p.Key])
		}
	}
}

// Long reports whether the rows exceed what one answer may have.
func (r *Cell) Long() bool {
	n := 0
	for key, value := range r.Rows { // order-free: a sum
		n += len(key) + len(value)
	}
	return n > api.MaxListBytes || len(r.Rows) > api.MaxListPairs
}

// visit opens a node, compares it with the backup, and locks it. Nodes that no session had
// open may have been swept, and some programs of the old cell take rights away.
func (r *Cell) visit(ctx context.Context, cl *client.Client, path string, was api.Stat) {
	options := client.OpenOptions{Rights: client.Read | client.Write}
	if was.Instance == 0 {
		options.Create = client.CreateMust
	}
	h, err := cl.Open(ctx, "/ls/local"+strings.TrimSuffix(path, "/"), options)
	narrow := r.old.Plan.Driver.Core.Founding.Limits != tree.DefaultLimits() || r.old.Plan.Limits.Every > 0
	full := options.Create == client.CreateMust && narrow && errors.Is(err, client.ErrQuota)
	if full || errors.Is(err, client.ErrPermission) || was.Ephemeral && errors.Is(err, client.ErrNotFound) {
		return
	}
	if err != nil {
		r.fail("S3", "%s cannot be opened: %v", path, err)
		return
	}
	stat := h.StatAtOpen()
	switch {
	case was.Instance == 0 && uint64(stat.Instance) <= r.Above:
		r.fail("S2", "%s, which the new cell has made, is of instance %d; it must be above %d, the last number that the old cell may have given out (the backup has %s)", path, stat.Instance, r.Above, r.instances())
	case was.Instance != 0 && (stat.Instance != was.Instance || stat.Content != was.Content || stat.ACL != was.ACL):
		r.fail("S3", "%s is %+v, in the backup %+v", path, stat, was)
	case stat.Kind == api.File && was.Instance != 0:
		if text, _, err := h.Contents(ctx); err != nil || text != r.Text[path] {
			r.fail("S3", "%s holds %q, %v, in the backup %q", path, text, err, r.Text[path])
		}
	}
	lock, err := h.Acquire(ctx, client.Exclusive)
	if err != nil {
		r.fail("S3", "%s cannot be locked: %v", path, err)
		return
	}
	if s, err := api.ParseSequencerText(lock.Sequencer()); err != nil || uint64(s.Gen) <= r.Above {
		r.fail("S2", "the lock of %s is granted as %v, %v: the old cell may have done so", path, s, err)
	}
	if err := errors.Join(lock.Release(ctx), h.Close(ctx)); err != nil {
		r.fail("S3", "%s cannot be let go: %v", path, err)
	}
}

// newborn is one process life of a replica of the new cell: driver, store and disk lanes,
// without checkers.
type newborn struct {
	of    *Cell
	id    paxos.NodeID
	env   *sim.Env
	host  *driver.Driver
	store *store.Store
	bulk  diskjobs.Bulk
}

// Start opens the store that build made.
func (n *newborn) Start(env *sim.Env) {
	cfg := n.of.old.Plan.Driver
	if n.of.grant > 0 { // the founder of the old cell may have had another configuration
		cfg.Core.Paxos.Lease.Grant = n.of.grant
	}
	cfg.Core.Paxos.ID, cfg.Core.Paxos.Members, cfg.BackupEvery = n.id, []paxos.NodeID{1, 2, 3}, 0
	cfg.Core.Secret = [32]byte{1}
	cfg.Core.Sessions = session.DefaultConfig() // no session ends while its client is at work
	n.env, n.host = env, driver.New(cfg)
	env.Go("recover", func() {
		options := n.of.old.Plan.Store
		options.Salt = env.Draw("wal.salt").Uint64
		st, rec, _, err := store.Open(env.FS(), damage.DataDir, options)
		if err != nil {
			n.of.fail("S3", "replica %d: %v", n.id, err)
			return
		}
		n.store, n.bulk = st, diskjobs.Bulk{Snapshots: st.Snapshots()}
		env.Post(func(now time.Time) {
			n.host.Start(now, rec.Recovered, rec.Rows, rec.LogFloor)
			n.act()
		})
	})
}

// Receive hands bytes to the driver.
func (n *newborn) Receive(now time.Time, from sim.Addr, msg []byte) {
	if from.IsClient() {
		n.host.ClientMessage(now, core.Addr(from), model.PrincipalOn(from), msg)
	} else {
		n.host.PeerMessage(now, paxos.NodeID(from), string(msg))
	}
	n.act()
}

// Wake hands the time to the driver.
func (n *newborn) Wake(now time.Time) {
	n.host.Advance(now)
	n.act()
}

func (n *newborn) act() {
	out := n.host.TakeOutput()
	for _, m := range out.Peers {
		n.env.Send(sim.Addr(m.To), m.Wire)
	}
	if out.Stop != nil {
		n.of.fail("S3", "replica %d: %v", n.id, out.Stop)
		return
	}
	if s := n.serves(); s != nil && uint64(s.Epoch) <= n.of.Epoch {
		n.of.fail("S2", "replica %d serves in epoch %d, the cell began in %d", n.id, s.Epoch, n.of.Epoch)
	}
	if now := n.of.World.Now(); n.serves() != nil && now < n.of.Lease {
		n.of.fail("S11", "replica %d serves %v after the birth, while a lease of %v that the old cell may have granted runs", n.id, now, n.of.Lease)
	}
	for _, m := range out.Clients {
		n.env.Send(sim.Addr(m.To), m.Wire)
	}
	if j := out.Log; j != nil {
		n.env.Go("log", func() { n.done(diskjobs.Log(n.store, *j)) })
	}
	if j := out.Bulk; j != nil {
		n.env.Go("bulk", func() {
			result := n.bulk.Do(j)
			n.env.Post(func(now time.Time) {
				n.host.BulkDone(now, result)
				n.act()
			})
		})
	}
	n.env.WakeAt(out.Wake)
}

func (n *newborn) serves() *core.Serving {
	if n.host.Core() == nil {
		return nil
	}
	return n.host.Core().Serving()
}

func (n *newborn) done(err error) {
	n.env.Post(func(now time.Time) {
		n.host.LogDone(now, err)
		n.act()
	})
}

// cannotFail panics on an error of an operation that cannot fail on a new disk.
func cannotFail(err error) {
	if err != nil {
		panic(err)
	}
}

// instances says which instances the nodes of the backup are of.
func (r *Cell) instances() string {
	var all []api.Instance
	for _, s := range r.Stat { // order-free: sorted below
		if s.Instance != 0 {
			all = append(all, s.Instance)
		}
	}
	if len(all) == 0 {
		return "no nodes"
	}
	return fmt.Sprintf("nodes of the instances %d to %d", slices.Min(all), slices.Max(all))
}
