package cell

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

// afterlife is a new cell of three, in a world of its own without faults, which begins
// with the newest backup of a cell whose run is over.
type afterlife struct {
	old    *Cell
	world  *sim.World
	epoch  uint64        // of the rows that it begins with
	above  uint64        // numbers that it gives out are greater
	lease  time.Duration // that the old cell may have granted at its end
	stat   map[string]api.Stat
	text   map[string]string // contents of files
	rows   map[string]string // of users
	grant  time.Duration     // of leases, as the rows have it; 0: they do not say
	ended  bool              // its client has seen all that it wanted to
	wrong  string            // what was seen in it that must not be
	broken string            // the property
}

// reborn makes a new cell of the newest backup and demands that it serves what the
// backup has, and gives out numbers above all that the old cell did (S2, S3).
func (c *Cell) reborn() {
	if !c.plan.Backups.Reborn || c.backed.newest == 0 {
		return
	}
	_, b := c.newestBackup()
	if b == nil {
		c.world.Break("S3", "the newest backup, of slot %d, is at no place any more", c.backed.newest)
		return
	}
	if r := c.newAfterlife(b); r != nil {
		defer r.world.Close()
		r.run()
		c.backed.reborn, c.backed.hash = true, r.world.Hash()
	}
}

// newAfterlife makes the new cell and starts it. nil: none can be made.
func (c *Cell) newAfterlife(b *backup.Backup) *afterlife {
	was := c.lived(b)
	r := &afterlife{old: c, above: was.number, lease: was.lease}
	r.reads(b)
	draws := c.world.Draw("cell.reborn", 0)
	made, err := b.Restore(backup.Restoration{
		Members: []paxos.NodeID{1, 2, 3}, Secret: [32]byte{byte(draws.Int(255)) + 1, 1}, Nonce: api.Nonce{draws.Uint64(), 1},
		Lease: c.plan.Driver.Core.Sessions.LeaseMax,
	})
	if err != nil {
		c.world.Break("S3", "of the backup of slot %d no cell can be made: %v", c.backed.newest, err)
		return nil
	}
	if f := was.comesBack(made); f != (model.Finding{}) {
		c.world.Break(f.ID, "the cell that is made of the backup of slot %d %s", c.backed.newest, f.Text)
		return nil
	}
	r.epoch = made.Handle.Epoch
	r.world = sim.New(sim.Config{Seed: draws.Uint64(), Link: c.plan.Link, Steps: maxSteps})
	r.build(made)
	return r
}

// reads keeps what the new cell must have.
func (r *afterlife) reads(b *backup.Backup) {
	r.stat, r.text, r.rows = map[string]api.Stat{}, map[string]string{}, map[string]string{}
	for ref, stat := range tree.Nodes(b.Rows) {
		r.stat[ref.Path.String()] = stat
		if stat.Kind == api.File {
			r.text[ref.Path.String()], _, _ = tree.Contents(b.Rows, ref)
		}
	}
	if grant, ok := rows.GetConstant(b.Rows, "lease grant"); ok {
		var err error
		r.grant, err = time.ParseDuration(grant)
		must(err)
	}
	for key, value := range b.Rows.Scan(rows.UserKey("")) {
		r.rows[key[len(rows.UserKey("")):]] = value
	}
}

// build puts the directories of the new cell on the disks of new machines.
func (r *afterlife) build(made backup.Restored) {
	for _, id := range made.Handle.Members {
		m := r.world.Add(sim.MachineConfig{Process: func() sim.Process { return &newborn{of: r, id: id} }, Disk: r.old.plan.Disk})
		mem, salt := vfs.NewMem(), r.world.Draw("reborn.salt", uint64(id))
		options := r.old.plan.Store
		options.Salt = salt.Uint64
		must(made.Write(mem, damage.DataDir, options))
		if f := begins(mem, made.Handle); f != (model.Finding{}) {
			r.saw(f.ID, "replica %d %s", id, f.Text)
		}
		m.Disk().Replace(mem)
		m.Start()
	}
	r.world.Add(sim.MachineConfig{Addr: sim.FirstClient, Process: sim.Program(r.program), Disk: r.old.plan.Disk}).Start()
}

// run goes on until the client has seen all. The first master waits for the leases
// of the old cell.
func (r *afterlife) run() {
	c, limit := r.old, 2*plan.RecoveryBound+2*r.old.plan.Driver.Core.Sessions.LeaseMax
	for !r.ended && r.wrong == "" {
		end := r.world.RunFor(100 * time.Millisecond)
		switch f := r.world.Failure(); {
		case f != nil:
			c.world.Break(f.ID, "in the cell that was made of the backup of slot %d: %s", c.backed.newest, f.Text)
			return
		case end != sim.Reached || r.world.Now() > limit:
			c.world.Break("L1", "%v after its birth the cell that was made of the backup of slot %d has not served all", r.world.Now(), c.backed.newest)
			return
		}
	}
	if r.wrong != "" {
		c.world.Break(r.broken, "in the cell that was made of the backup of slot %d: %s", c.backed.newest, r.wrong)
	}
}

// saw notes what must not be, and the property that it breaks.
func (r *afterlife) saw(id, format string, args ...any) {
	if r.wrong == "" {
		r.broken, r.wrong = id, fmt.Sprintf(format, args...)
	}
}

// program reads all that the backup has, and takes a lock of each file.
func (r *afterlife) program(rt *sim.Runtime) {
	ctx := context.Background()
	cl := client.New(rt, client.Config{
		Replicas: []uint32{1, 2, 3}, Draw: rt.Env().Draw("reborn.client").Uint64,
		Rho: int64(r.old.plan.Driver.Core.Paxos.Lease.Rho), Grace: time.Minute, AnswerWait: 300 * time.Millisecond,
	})
	r.lists(ctx, cl)
	for _, path := range slices.Sorted(maps.Keys(r.stat)) {
		r.visit(ctx, cl, path, r.stat[path])
	}
	r.visit(ctx, cl, "/reborn", api.Stat{})
	if err := cl.Put(ctx, "reborn", "yes"); err != nil {
		r.saw("S3", "a row cannot be put: %v", err)
	}
	r.ended = true
}

// lists reads all rows, one by one where they are more than one answer may have.
func (r *afterlife) lists(ctx context.Context, cl *client.Client) {
	pairs, err := cl.List(ctx, "")
	switch long := r.long(); {
	case long && errors.Is(err, client.ErrTooLarge):
		for _, key := range slices.Sorted(maps.Keys(r.rows)) {
			var value string
			if value, err = cl.Get(ctx, key); err != nil {
				break
			}
			pairs = append(pairs, client.Pair{Key: key, Value: value})
		}
	case long:
		r.saw("S3", "%d rows in one answer, %v, which are more than it may have", len(pairs), err)
	}
	if err != nil || len(pairs) != len(r.rows) {
		r.saw("S3", "%d rows, %v, where the backup has %d", len(pairs), err, len(r.rows))
	}
	for _, p := range pairs {
		if r.rows[p.Key] != p.Value {
			r.saw("S3", "row %q is %q, in the backup %q", p.Key, p.Value, r.rows[p.Key])
		}
	}
}

// long says that the rows are more than one answer may have.
func (r *afterlife) long() bool {
	n := 0
	for key, value := range r.rows { // order-free: a sum
		n += len(key) + len(value)
	}
	return n > api.MaxListBytes || len(r.rows) > api.MaxListPairs
}

// visit opens a node, compares it with what the backup says, and locks it. Those that
// no session had open may have been swept, and some programs take rights away.
func (r *afterlife) visit(ctx context.Context, cl *client.Client, path string, was api.Stat) {
	options := client.OpenOptions{Rights: client.Read | client.Write}
	if was.Instance == 0 {
		options.Create = client.CreateMust
	}
	h, err := cl.Open(ctx, "/ls/local"+strings.TrimSuffix(path, "/"), options)
	full := options.Create == client.CreateMust && r.old.plan.Driver.Core.Founding.Limits != tree.DefaultLimits() && errors.Is(err, client.ErrQuota)
	if full || errors.Is(err, client.ErrPermission) || was.Ephemeral && errors.Is(err, client.ErrNotFound) {
		return
	}
	if err != nil {
		r.saw("S3", "%s cannot be opened: %v", path, err)
		return
	}
	stat := h.StatAtOpen()
	switch {
	case was.Instance == 0 && uint64(stat.Instance) <= r.above:
		r.saw("S2", "%s is of instance %d, which the old cell may have given out", path, stat.Instance)
	case was.Instance != 0 && (stat.Instance != was.Instance || stat.Content != was.Content || stat.ACL != was.ACL):
		r.saw("S3", "%s is %+v, in the backup %+v", path, stat, was)
	case stat.Kind == api.File && was.Instance != 0:
		if text, _, err := h.Contents(ctx); err != nil || text != r.text[path] {
			r.saw("S3", "%s holds %q, %v, in the backup %q", path, text, err, r.text[path])
		}
	}
	lock, err := h.Acquire(ctx, client.Exclusive)
	if err != nil {
		r.saw("S3", "%s cannot be locked: %v", path, err)
		return
	}
	if s, err := api.ParseSequencer(lock.Sequencer()); err != nil || uint64(s.Gen) <= r.above {
		r.saw("S2", "the lock of %s is granted as %v, %v: the old cell may have done so", path, s, err)
	}
	if err := errors.Join(lock.Release(ctx), h.Close(ctx)); err != nil {
		r.saw("S3", "%s cannot be let go: %v", path, err)
	}
}

// newborn is one process life of a replica of the new cell: host, store and lanes,
// and no checker.
type newborn struct {
	of    *afterlife
	id    paxos.NodeID
	env   *sim.Env
	host  *driver.Driver
	store *store.Store
	bulk  diskjobs.Bulk
}

// Start opens the store that was made for it.
func (n *newborn) Start(env *sim.Env) {
	cfg := n.of.old.plan.Driver
	if n.of.grant > 0 { // the founder of the old cell may have been configured otherwise
		cfg.Core.Paxos.Lease.Grant = n.of.grant
	}
	cfg.Core.Paxos.ID, cfg.Core.Paxos.Members, cfg.BackupEvery = n.id, []paxos.NodeID{1, 2, 3}, 0
	cfg.Core.Secret = [32]byte{1}
	cfg.Core.Sessions = session.DefaultConfig() // none ends while its client is at work
	n.env, n.host = env, driver.New(cfg)
	env.Go("recover", func() {
		options := n.of.old.plan.Store
		options.Salt = env.Draw("wal.salt").Uint64
		st, rec, _, err := store.Open(env.FS(), damage.DataDir, options)
		if err != nil {
			n.of.saw("S3", "replica %d: %v", n.id, err)
			return
		}
		n.store, n.bulk = st, diskjobs.Bulk{Snapshots: st.Snapshots()}
		env.Post(func(now time.Time) {
			n.host.Start(now, rec.Recovered, rec.Rows)
			n.act()
		})
	})
}

// Receive hands bytes to the host.
func (n *newborn) Receive(now time.Time, from sim.Addr, msg []byte) {
	if from.IsClient() {
		n.host.ClientMessage(now, core.Addr(from), model.PrincipalOn(from), msg)
	} else {
		n.host.PeerMessage(now, paxos.NodeID(from), string(msg))
	}
	n.act()
}

// Wake hands time to the host.
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
		n.of.saw("S3", "replica %d: %v", n.id, out.Stop)
		return
	}
	if s := n.serves(); s != nil && uint64(s.Epoch) <= n.of.epoch {
		n.of.saw("S2", "replica %d serves in epoch %d, the cell began in %d", n.id, s.Epoch, n.of.epoch)
	}
	if now := n.of.world.Now(); n.serves() != nil && now < n.of.lease {
		n.of.saw("S11", "replica %d serves %v after the birth, while a lease of %v that the old cell may have granted runs", n.id, now, n.of.lease)
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

// must is for what cannot fail on a disk that is new.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
