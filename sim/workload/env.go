package workload

import (
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/resource"
)

// Env is what client programs need to run. It gives no access to a replica.
type Env struct {
	Plan     *plan.Plan
	World    *sim.World
	Events   *event.Stream
	Replicas []uint32 // the addresses of the replicas, as clients know them
	Rows     RowHistory
	Files    FileHistory
	Locks    LockHistory
	Beliefs  Beliefs
	Witness  Witness
	Watching Watching
	Read     Reads
}

// RowHistory records calls on rows. Begins is called when a process makes a call, and returns the
// number that identifies the call to the other methods. OK is called with a definite answer,
// Unknown if the outcome is unknown, Failed if the call had no effect. At most one of them is
// called; none if the machine crashes. at is true time in nanoseconds.
type RowHistory interface {
	Begins(process, at int64, in linearizability.KVInput, trail *client.CallID) (op int)
	OK(op int, at int64, out linearizability.KVOutput)
	Unknown(op int, at int64)
	Failed(op int, at int64)
}

// FileHistory records calls on files and directories, as RowHistory does calls on rows. at is the
// number that Begins returned.
type FileHistory interface {
	Begins(process int64, in linearizability.FileInput, trail *client.CallID) (at int)
	OK(at int, out linearizability.FileOutput)
	Unknown(at int)
	Failed(at int)
	Paged() // a page of a directory was read after another one
}

// LockHistory records calls on locks. Begins is called when a process makes a call, and returns the
// number that identifies the call to the other methods. At most one of Ends and Withdraw is called
// for it.
type LockHistory interface {
	Begins(process int64, in linearizability.LockInput, trail *client.CallID) (at int)
	Frees(at, granted int)                                  // for a Release: granted is the call that got the lock, plus one; 0: not known
	Ends(at int, err error, out linearizability.LockOutput) // the call was made, and ended with err
	Withdraw(at int)                                        // the call was not made: the client needed no answer of the cell
}

// Beliefs is told what clients and their programs believe: which handles are open, and which locks
// are held.
type Beliefs interface {
	// OnClient is called when a client begins.
	OnClient(x model.Believer)
	// OnOpen is called when a program has opened a node, OnClose when it will no longer use the
	// handle.
	OnOpen(who model.Believer, o model.OpenHandle)
	OnClose(o model.OpenHandle)
	// OnHold is called when a program has got a lock.
	OnHold(who model.Believer, o model.OpenHandle, l model.HeldLock, mode client.Mode)
	// OnLoss is called when an answer has shown to a program that a handle is useless, and that the
	// lock which it held by that handle is lost.
	OnLoss(who model.Believer, n api.Ref, l model.HeldLock, why error)
	// OnLetGo is called when a program has released a lock, or closed its handle or session.
	OnLetGo(who model.Believer, n api.Ref, l model.HeldLock)
}

// Fencing is told of requests to the resource outside of the cell.
type Fencing interface {
	// OnRequest is called when a client makes a request, with the lock under which it makes it.
	OnRequest(id uint64, who model.Believer, lock model.HeldLock)
	// OnRefused is called when the resource refuses a request.
	OnRefused(q *resource.Ask)
}

// LockTurns is told of the Acquires by a handle that several programs may share.
type LockTurns interface {
	// OnAcquire is called when a program asks for the lock, OnAcquireEnd when that call has ended.
	OnAcquire(ask *client.CallID)
	OnAcquireEnd(ask *client.CallID)
	// SetLock is called with the lock that a program has got.
	SetLock(l *client.Lock)
}

// Witness makes clients and is told what they learn. It also answers questions about the cell that
// a program must ask to judge whether an answer was right.
type Witness interface {
	// Dial makes a client, which is observed until hangUp is called.
	Dial(l *Line, cfg client.Config) (cl *client.Client, hangUp func())
	// OnCallEnd is called at the instant at which a call ends for its program.
	OnCallEnd(cl *client.Client, trail *client.CallID)
	// OnOutcome is called with the error of a call to the cell. late reports whether the client had
	// already reported the loss of its session when the call began.
	OnOutcome(cl *client.Client, late bool, err error)
	// OnHandleGot is called when an Open was granted rights. It returns the id that the cell gave
	// the handle.
	OnHandleGot(cl *client.Client, h *client.Handle, rights client.Rights) api.HandleID
	// OnHandleClose is called when a program closes a handle.
	OnHandleClose(cl *client.Client, h *client.Handle)
	// LockTurns returns the LockTurns of a handle, or nil if nothing observes it.
	LockTurns(cl *client.Client, h *client.Handle) LockTurns
	// Tidies blocks until the client has no more handles open than known, the number that its
	// programs know of.
	Tidies(rt *sim.Runtime, cl *client.Client, known int)
	// HasLost reports whether the client has reported the loss of its session.
	HasLost(cl *client.Client) bool
	// IsForgetful reports whether the cell may have forgotten handles of a session because there
	// were too many.
	IsForgetful(s api.SessionID) bool
	// Holds reports whether, by the log, a handle holds the lock of a node.
	Holds(o model.Owner, n api.Ref) bool
	// Stands reports whether, by the log, a node exists.
	Stands(n api.Ref) bool
	// Untold returns a finding if an answer lacks something that it must contain. lockless: it may
	// lack the lock generation.
	Untold(in linearizability.FileInput, out linearizability.FileOutput, lockless bool) model.Finding
	// IsStale reports whether, by the log, a sequencer was valid and no longer is. It never becomes
	// valid again.
	IsStale(sequencer string) bool
	// Untied returns a finding if a call by a handle that its program has tied to a sequencer was
	// sent with a token that does not say so.
	Untied(k model.Call) model.Finding
}

// Programs are the client programs of one run: what they share, and what they have done.
type Programs struct {
	plan     *plan.Plan
	world    *sim.World
	events   *event.Stream
	ids      []uint32
	history  RowHistory
	nodes    FileHistory
	holdings LockHistory
	beliefs  Beliefs
	witness  Witness
	watching Watching
	read     Reads

	Finale    bool // the safety phase is over: programs make a few more calls, all of which must succeed
	Running   int  // threads and sessions that have not ended
	Sessions  int  // client sessions begun
	Kept      int  // locks that were acquired again without the cell
	Completed int  // calls with a definite answer
	Hot       int  // of them, on the contended row
	Unknown   int  // calls of an extension's workload that had no definite answer
	Waits     Waits
	Shown     map[string]string // the latest sequencer of each lock, by path
	Closed    []api.SessionID   // sessions whose end the cell has confirmed
	Shared    uint64            // times that a program took the handle of another program
	Busy      uint64            // calls that a client refused because too many waited
	Relisted  uint64            // times that a watcher listed a directory because an event came
	Deserted  int               // sessions that their clients abandoned without closing them
	Stale     uint64            // calls by handles that were tied to a stale sequencer when they began
	TooLarge  uint64            // writes of contents one byte too long
	Fence     *Fence            // the resource outside

	filler  string                       // as many dots as were ever needed
	handles map[*client.Client]*opened   // that its programs may share
	spares  map[*client.Handle]spare     // the lock last released by each handle
	rests   map[*client.Client]time.Time // until when its programs do nothing, by the clock of its machine
	queues  map[*client.Client]int       // how many calls may wait to be sent; 0: usualQueue
}

// New returns the programs of a run, none of which has begun.
func New(e Env) *Programs {
	return &Programs{
		plan: e.Plan, world: e.World, events: e.Events, ids: e.Replicas, history: e.Rows, nodes: e.Files, holdings: e.Locks,
		beliefs: e.Beliefs, witness: e.Witness, watching: e.Watching, read: e.Read,
		Shown: map[string]string{}, handles: map[*client.Client]*opened{},
		spares: map[*client.Handle]spare{}, rests: map[*client.Client]time.Time{}, queues: map[*client.Client]int{},
	}
}

// publish hands an event to its listeners.
func (c *Programs) publish(e event.Event) { c.events.Publish(c.world.Now(), e) }
