package cell

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/command"
	"github.com/chubbycell/chubby/replica/node"
	"github.com/chubbycell/chubby/replica/store"
	"github.com/chubbycell/chubby/sim"
)

// watch sees everything: what every disk holds, what every replica applies. It
// checks the properties that no client could: agreement over durable votes,
// promises and epochs that never fall, durability, at-most-once, equal
// checksums. It is told of facts at the instant they become true, which may be
// before the process itself hears of them.
type watch struct {
	world     *sim.World
	atlas     *atlas // whose disks were damaged
	quorum    int
	disks     []diskFacts // by id
	slots     []slotFacts // by slot
	top       paxos.Slot  // highest slot applied anywhere
	prefix    paxos.Slot  // all slots below are chosen
	told      paxos.Slot  // highest slot of which a client was given an answer
	attempts  map[paxos.Ballot]*attempt
	locks     *lockBook
	calls     map[call]effect
	handed    map[uint64]int       // times proposed less times chosen, by hash of the command
	epochs    map[api.Epoch]holder // by whose command each began
	served    map[api.Epoch]paxos.Ballot
	tenures   []*node.Serving // last seen, by id
	lastEpoch paxos.Ballot
	epoch     api.Epoch // highest that was applied anywhere

	bids  func(paxos.NodeID, paxos.Ballot)                 // is told of each Prepare; may be nil
	each  func(*command.Applied, linearizability.Position) // is told of each command
	alone func(paxos.NodeID) bool                          // asks for read authority
	asked map[call]bool                                    // ops on nodes: whether memory alone may answer
	given map[call]uint64                                  // answers that are nowhere in the log, by digest

	failovers int
	counts    tally // of the lives that are over
	tornTails int
	rot       rotCounts
	audits    node.AuditCounters // of the lives that are over
	reports   uint64             // of sums, sent
	minority  int                // replicas that stopped because their rows were odd
	snapshots snapshotCounts

	aborted, repeated, stale, orphans, lateEpochs, conflicts, batches uint64
}

// diskFacts is what a disk was told to keep, and said it kept.
type diskFacts struct {
	boot    paxos.Boot
	promise paxos.Ballot
	votes   votes
	applied paxos.Slot // in the present life: memory, not disk

	snapshot paxos.Slot // of the newest snapshot that is durable

	lsn, mark paxos.LSN           // synced up to; of that, stated by a mark
	stray     bool                // rows in memory were made to differ
	missing   map[paxos.Slot]bool // values that this life found unreadable and has not applied yet
}

// slotFacts is what is true of one slot.
type slotFacts struct {
	ballots []ballotFacts
	chosen  bool
	ballot  paxos.Ballot // lowest at which a quorum was seen
	value   paxos.Value
	applied bool
	summed  bool // by a replica whose rows were not made to differ
	sum     db.Sum
}

type ballotFacts struct {
	ballot paxos.Ballot
	value  paxos.Value
	who    uint64
	count  int
}

// call names a client's call as the rows do.
type call struct {
	session api.SessionID
	seq     api.Seq
}

// effect is where a call took effect, and what it was answered then.
type effect struct {
	at     linearizability.Position
	answer uint64 // digest of the result
}

// digest leaves tokens out: the log does not have them.
func digest(r api.Result) uint64 {
	if o, ok := r.Detail.(api.Opened); ok {
		o.Token = ""
		r.Detail = o
	}
	var room [256]byte
	return xxhash.Sum64(api.AppendResult(room[:0], r))
}

// holder is who began an epoch.
type holder struct {
	id     paxos.NodeID
	ballot paxos.Ballot
}

func newWatch(w *sim.World, replicas int) *watch {
	h := &watch{
		world:    w,
		atlas:    newAtlas(replicas, 0),
		quorum:   replicas/2 + 1,
		prefix:   1,
		disks:    make([]diskFacts, replicas+1),
		attempts: map[paxos.Ballot]*attempt{},
		locks:    newLockBook(w, 0),
		each:     func(*command.Applied, linearizability.Position) {},
		alone:    func(paxos.NodeID) bool { return false },
		asked:    map[call]bool{},
		given:    map[call]uint64{},
		calls:    map[call]effect{},
		handed:   map[uint64]int{},
		epochs:   map[api.Epoch]holder{},
		served:   map[api.Epoch]paxos.Ballot{},
		tenures:  make([]*node.Serving, replicas+1),
	}
	return h
}

func (h *watch) slot(s paxos.Slot) *slotFacts {
	for paxos.Slot(len(h.slots)) <= s {
		h.slots = append(h.slots, slotFacts{})
	}
	return &h.slots[s]
}

// durable is told what a disk has from now on.
func (h *watch) durable(id paxos.NodeID, records []paxos.Record) {
	d := &h.disks[id]
	for _, r := range records {
		switch r := r.(type) {
		case paxos.Booted:
			if r.Boot <= d.boot {
				h.world.Break("S2", "replica %d begins life %d after life %d", id, r.Boot, d.boot)
			}
			d.boot = r.Boot
		case paxos.Promised:
			if !d.promise.Less(r.Ballot) {
				h.world.Break("S2", "replica %d promises %v after %v", id, r.Ballot, d.promise)
			}
			d.promise = r.Ballot
			h.attempt(r.Ballot).promised(id)
		case paxos.Voted:
			h.voted(id, r)
		case paxos.Learned:
			h.learned(id, r.Slot, r.Value)
		case paxos.Settled:
			for s := r.Slots.From; s < r.Slots.To; s++ {
				v, _ := d.votes.at(s)
				h.learned(id, s, v.Value)
			}
		}
	}
}

// learned checks what a disk was told to be chosen: a restart would believe it.
func (h *watch) learned(id paxos.NodeID, s paxos.Slot, v paxos.Value) {
	if f := h.slot(s); !f.chosen || f.value != v {
		h.world.Break("S1", "replica %d notes on its disk that %v was chosen in slot %d, where %v was (%v)", id, v, s, f.value, f.chosen)
	}
}

// voted counts a durable vote. Property S1, over the disks of all replicas.
func (h *watch) voted(id paxos.NodeID, v paxos.Voted) {
	d := &h.disks[id]
	if d.promise.Less(v.Ballot) {
		h.world.Break("S2", "replica %d votes at %v in slot %d with only %v promised on its disk", id, v.Ballot, v.Slot, d.promise)
	}
	if old, ok := d.votes.at(v.Slot); ok && v.Ballot.Less(old.Ballot) {
		h.world.Break("S2", "replica %d votes at %v in slot %d after a vote at %v", id, v.Ballot, v.Slot, old.Ballot)
	}
	d.votes.put(v)
	f := h.slot(v.Slot)
	b := f.at(v)
	if b.value != v.Value {
		h.world.Break("S1", "slot %d ballot %v carries two values: %v, and %v at replica %d", v.Slot, v.Ballot, b.value, v.Value, id)
	}
	if f.chosen && !v.Ballot.Less(f.ballot) && v.Value != f.value {
		h.world.Break("S1", "slot %d: %v was chosen at ballot %v, and replica %d votes for %v at %v", v.Slot, f.value, f.ballot, id, v.Value, v.Ballot)
	}
	if bit := uint64(1) << id; b.who&bit == 0 {
		b.who |= bit
		b.count++
	}
	if b.count < h.quorum {
		return
	}
	switch {
	case !f.chosen:
		f.chosen, f.ballot, f.value = true, v.Ballot, v.Value
		h.laterVotes(v.Slot, f)
	case f.value != v.Value:
		h.world.Break("S1", "slot %d: %v chosen at ballot %v, %v chosen at %v", v.Slot, f.value, f.ballot, v.Value, v.Ballot)
	case v.Ballot.Less(f.ballot):
		f.ballot = v.Ballot
		h.laterVotes(v.Slot, f)
	}
}

// laterVotes looks at the votes that were already there when a quorum came
// about: none above its ballot may differ.
func (h *watch) laterVotes(s paxos.Slot, f *slotFacts) {
	for _, b := range f.ballots {
		if f.ballot.Less(b.ballot) && b.value != f.value {
			h.world.Break("S1", "slot %d: %v is chosen at ballot %v with a vote for %v at %v", s, f.value, f.ballot, b.value, b.ballot)
		}
	}
}

func (f *slotFacts) at(v paxos.Voted) *ballotFacts {
	for i := range f.ballots {
		if f.ballots[i].ballot == v.Ballot {
			return &f.ballots[i]
		}
	}
	f.ballots = append(f.ballots, ballotFacts{ballot: v.Ballot, value: v.Value})
	return &f.ballots[len(f.ballots)-1]
}

// recovered compares what a disk gave back with what it had said it kept
// (S2, S3), and counts votes that reached the disk without anybody hearing.
func (h *watch) recovered(id paxos.NodeID, rec store.Recovered, report store.Report) {
	d := &h.disks[id]
	if rec.Boot < d.boot {
		h.world.Break("S2", "replica %d comes back in life %d after life %d", id, rec.Boot, d.boot)
	}
	if rec.Promise.Less(d.promise) {
		h.world.Break("S2", "replica %d comes back with promise %v, its disk had %v", id, rec.Promise, d.promise)
	}
	d.boot, d.promise = rec.Boot, rec.Promise
	h.attempt(rec.Promise).promised(id)
	if report.Torn != nil {
		h.tornTails++
	}
	h.reported(id, report)
	h.resumes(id, rec, report)
	d.lsn = max(rec.Next, 1) - 1
	d.stray = false // the rows come from the log again
	last := h.givenBack(id, rec.Recovered)
	for _, r := range rec.Records {
		v, ok := r.(paxos.Voted)
		if !ok {
			continue
		}
		now, _ := last.at(v.Slot)
		if was, _ := d.votes.at(v.Slot); now == v && was != v {
			h.voted(id, v)
		}
	}
	d.votes = last
}

// started checks that the node took over what its disk holds.
func (h *watch) started(id paxos.NodeID, s paxos.Status) {
	if d := &h.disks[id]; s.Promised.Less(d.promise) {
		h.world.Break("S2", "replica %d starts with promise %v, its disk has %v", id, s.Promised, d.promise)
	}
	if d := &h.disks[id]; s.Floor > d.snapshot+1 {
		h.world.Break("S3", "replica %d starts without the votes below %d, its snapshot is of slot %d", id, s.Floor, d.snapshot)
	}
	for slot := s.VotesEnd; slot < paxos.Slot(len(h.disks[id].votes)); slot++ {
		if v, voted := h.disks[id].votes.at(slot); voted {
			h.world.Break("S3", "replica %d starts without its vote at %v in slot %d", id, v.Ballot, slot)
			return
		}
	}
}

// applied checks each slot a replica applies: it must be chosen on a quorum of
// disks (S3), with this value (S1), and leave the rows as everywhere (S6); its
// commands must take effect once (S5).
func (h *watch) applied(id paxos.NodeID, slots []node.Applied) {
	for i := range slots {
		a := &slots[i]
		f := h.slot(a.Slot)
		if a.Slot != h.disks[id].applied+1 {
			h.world.Break("S2", "replica %d applies slot %d after slot %d", id, a.Slot, h.disks[id].applied)
		}
		h.disks[id].applied = a.Slot
		h.restored(id, a.Slot)
		if !f.chosen {
			h.world.Break("S3", "replica %d applies %v in slot %d, which no quorum of disks holds", id, a.Value, a.Slot)
			return
		}
		if f.value != a.Value {
			h.world.Break("S1", "replica %d applies %v in slot %d, where %v was chosen", id, a.Value, a.Slot, f.value)
		}
		h.summed(id, a)
		if f.applied {
			continue
		}
		if a.Slot != h.top+1 {
			h.world.Break("S6", "replica %d applies slot %d, the slots up to %d were applied before by anybody", id, a.Slot, h.top)
		}
		f.applied = true
		h.top = a.Slot
		h.repeats(a.Slot, a.Value)
		h.commands(a)
	}
}

// proposed counts what was handed to the log.
func (h *watch) proposed(commands [][]byte) {
	for _, c := range commands {
		h.handed[xxhash.Sum64(c)]++
	}
}

// repeats checks that no command stands in the log more often than it was
// handed to it (S5). What is executed twice is another question: the rows may
// forgive what the log must not do.
func (h *watch) repeats(s paxos.Slot, v paxos.Value) {
	for i, c := range v.Commands {
		key := xxhash.Sum64String(c)
		left := h.handed[key] - 1
		if left < 0 {
			h.world.Break("S5", "command %d of slot %d stands in the log once more than it was proposed", i, s)
		}
		if h.handed[key] = left; left == 0 {
			delete(h.handed, key)
		}
	}
}

// commands notes where each call took effect. Property S5.
func (h *watch) commands(a *node.Applied) {
	if len(a.Commands) > 1 {
		h.batches++
	}
	for i := range a.Commands {
		h.guarded(a.Slot, &a.Commands[i])
		h.note(&a.Commands[i])
		at := linearizability.Position{Slot: int64(a.Slot), Index: int32(i)}
		h.each(&a.Commands[i], at)
		key, ok := called(a.Commands[i].Command)
		if !ok || a.Commands[i].Verdict != command.Executed {
			continue
		}
		if was, twice := h.calls[key]; twice {
			h.world.Break("S5", "call %d of session %d took effect at %v and again at %v", key.seq, key.session, was.at, at)
		}
		h.calls[key] = effect{at: at, answer: digest(a.Commands[i].Result)}
		h.cancels(a.Commands[i].Command, at)
	}
}

// cancels notes the answer that a CancelAcquire leaves for the call that it gives
// up, unless that was executed.
func (h *watch) cancels(c command.Command, at linearizability.Position) {
	act, ok := c.(command.Act)
	if !ok {
		return
	}
	if d, ok := act.Deed.(command.CancelAcquire); ok {
		if key := (call{act.Session, d.Call}); h.calls[key] == (effect{}) {
			h.calls[key] = effect{at: at, answer: digest(api.Result{Code: api.Cancelled})}
		}
	}
}

// called is the name of the call of a session that a command does; ok is false if
// it does none.
func called(c command.Command) (k call, ok bool) {
	switch c := c.(type) {
	case command.Call:
		return call{c.Session, c.Seq}, c.Session != 0
	case command.Act:
		return call{c.Session, c.Seq}, true
	}
	return call{}, false
}

// guarded checks that a command which was executed met the epoch in which it was
// received, or proposed by a master (P5.01): mastership was not lost in between,
// nor lost and regained. h.epoch is that of this place in the log.
func (h *watch) guarded(s paxos.Slot, a *command.Applied) {
	if guard, ok := guardOf(a.Command); ok && a.Verdict == command.Executed && guard != h.epoch {
		h.world.Break("S2", "slot %d: %+v is executed in epoch %d, and is of epoch %d", s, a.Command, h.epoch, guard)
	}
}

// guardOf is the epoch that a command is of; ok is false for those that are of
// none.
func guardOf(c command.Command) (guard api.Epoch, ok bool) {
	switch c := c.(type) {
	case command.Call:
		return c.Guard, true
	case command.Act:
		return c.Guard, true
	case command.Constant:
		return c.Guard, true
	case command.Found:
		return c.Guard, true
	case command.Expire:
		return c.Guard, true
	case command.FailHandle:
		return c.Guard, true
	case command.DelayOver:
		return c.Guard, true
	case command.Sweep:
		return c.Guard, true
	case command.LongestLease:
		return c.Guard, true
	case command.Confirm:
		return c.Guard, true
	}
	return 0, false
}

// note counts what became of a command, for the table.
func (h *watch) note(a *command.Applied) {
	switch {
	case a.Verdict == command.Repeated:
		h.repeated++
	case a.Result.Code == api.Aborted:
		h.aborted++
	case a.Result.Code == api.Stale:
		h.stale++
	case a.Result.Code == api.NoSession:
		h.orphans++
	case a.Result.Code == api.Conflict:
		h.conflicts++
	}
	for _, e := range a.Effects {
		if e, ok := e.(command.EpochBegan); ok {
			if e.Epoch.Number <= h.epoch {
				h.world.Break("S2", "epoch %d begins after epoch %d", e.Epoch.Number, h.epoch)
			}
			h.epoch = e.Epoch.Number
			b := paxos.Ballot{Round: e.Epoch.Ballot.Round, Node: paxos.NodeID(e.Epoch.Ballot.Node)}
			if b.Less(h.lastEpoch) {
				h.lateEpochs++
			}
			h.lastEpoch = b
			h.epochs[h.epoch] = holder{paxos.NodeID(e.Epoch.Master), b}
		}
	}
}

// tenure looks whether a replica serves in a new epoch.
func (h *watch) tenure(id paxos.NodeID, n *node.Node) bool {
	s := n.Serving()
	if s == nil || s == h.tenures[id] {
		return false
	}
	h.tenures[id] = s
	h.failovers++
	h.serves(id, s)
	return true
}

// serves checks that whoever serves an epoch is the one that began it in the log
// (S2): no two tenures share an epoch, and none is made up.
func (h *watch) serves(id paxos.NodeID, s *node.Serving) {
	if was, now := h.epochs[s.Epoch], (holder{id, s.Ballot}); was != now {
		h.world.Break("S2", "replica %d at ballot %v serves epoch %d, which replica %d at ballot %v began", id, s.Ballot, s.Epoch, was.id, was.ballot)
	}
	for e, b := range h.served { // order-free: any breach ends the run, all are breaches
		if e > s.Epoch && b.Less(s.Ballot) {
			h.world.Break("S2", "replica %d at ballot %v serves epoch %d after epoch %d", id, s.Ballot, s.Epoch, e)
		}
	}
	h.served[s.Epoch] = s.Ballot
}

// position is where a call took effect, if it did.
func (h *watch) position(t *client.Trail) (linearizability.Position, bool) {
	e, ok := h.calls[call{t.Session, t.Seq}]
	return e.at, ok
}

// String is one line for reports.
func (h *watch) String() string {
	return fmt.Sprintf("%d slots applied, %d fail-overs, %d calls", h.top, h.failovers, len(h.calls))
}
