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

// Env is what client programs need to run: nothing of it is a replica.
type Env struct {
	Plan     *plan.Plan
	World    *sim.World
	Events   *event.Stream
	Replicas []uint32 // the cell, as clients are told
	Rows     RowHistory
	Files    FileHistory
	Locks    LockHistory
	Beliefs  Beliefs
	Witness  Witness
	Watching Watching
	Read     Reads
}

// RowHistory takes down calls on rows. A call is told by the number that Begins returns.
type RowHistory interface {
	Begins(who, at int64, in linearizability.KVInput, trail *client.CallID) (op int)
	OK(op int, at int64, out linearizability.KVOutput)
	Unknown(op int, at int64)
	Failed(op int, at int64)
}

// FileHistory takes down calls on files and directories. A call is told by the number that
// Begins returns.
type FileHistory interface {
	Begins(who int64, in linearizability.FileInput, trail *client.CallID) (at int)
	OK(at int, out linearizability.FileOutput)
	Unknown(at int)
	Failed(at int)
	Paged() // a page of a directory was read after another one
}

// LockHistory takes down calls on locks. A call is told by the number that Begins returns.
type LockHistory interface {
	Begins(who int64, in linearizability.LockInput, trail *client.CallID) (at int)
	Frees(at, granted int) // of a Release: the call that was granted, plus one; 0: not known
	Ends(at int, err error, out linearizability.LockOutput)
	Withdraw(at int) // it was not made: the client did without the cell
}

// Beliefs are told what clients and their programs take for true.
type Beliefs interface {
	OnClient(x model.Believer)
	OnOpen(who model.Believer, o model.OpenHandle)
	OnClose(o model.OpenHandle)
	OnHold(who model.Believer, o model.OpenHandle, l model.HeldLock, mode client.Mode)
	OnLoss(who model.Believer, n api.Ref, l model.HeldLock, why error)
	OnLetGo(who model.Believer, n api.Ref, l model.HeldLock)
}

// Fencing is told of requests to the resource outside.
type Fencing interface {
	OnRequest(id uint64, who model.Believer, lock model.HeldLock)
	OnRefused(q *resource.Ask)
}

// LockTurns is told who locks by a handle that several programs share.
type LockTurns interface {
	OnAcquire(ask *client.CallID)
	OnAcquireEnd(ask *client.CallID)
	SetLock(l *client.Lock)
}

// Witness makes clients, is told of what they hear, and knows of the cell what a program has
// to know in order to say whether it was answered rightly.
type Witness interface {
	// Dial makes a client, which is watched until hangUp is called.
	Dial(l *Line, cfg client.Config) (cl *client.Client, hangUp func())
	// OnCallEnd is told of the instant at which a call has ended for its program.
	OnCallEnd(cl *client.Client, trail *client.CallID)
	// OnOutcome is told how a call ended that asks the cell; late says that the client had
	// told that its session is gone when the call began.
	OnOutcome(cl *client.Client, late bool, err error)
	// OnHandleGot is told that an Open was granted rights, and says what the cell calls the
	// handle.
	OnHandleGot(cl *client.Client, h *client.Handle, rights client.Rights) api.HandleID
	// OnHandleClose is told that a program closes a handle.
	OnHandleClose(cl *client.Client, h *client.Handle)
	// LockTurns are those of a handle; nil where none are told.
	LockTurns(cl *client.Client, h *client.Handle) LockTurns
	// Tidies waits until a client has no more handles open than its programs know of.
	Tidies(rt *sim.Runtime, cl *client.Client, known int)
	// HasLost says that a client has told that its session is gone.
	HasLost(cl *client.Client) bool
	// IsForgetful says that the cell may have forgotten handles of a session, of which there
	// were too many.
	IsForgetful(s api.SessionID) bool
	// Holds says that a handle holds the lock of a node, by the log.
	Holds(o model.Owner, n api.Ref) bool
	// Stands says that a node is there, by the log.
	Stands(n api.Ref) bool
	// Untold is what an answer owes and does not tell; lockless says that it owes no lock generation.
	Untold(in linearizability.FileInput, out linearizability.FileOutput, lockless bool) model.Finding
	// IsStale says that a sequencer is not valid any more, by the log: it was, and never is again.
	IsStale(sequencer string) bool
	// Untied is what is wrong with a call by a handle that is tied to a sequencer.
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
	minds    Beliefs
	witness  Witness
	watching Watching
	read     Reads

	Finale    bool // the safety phase is over: a few more calls, all of which must succeed
	Running   int  // threads and sessions that have not ended
	Sessions  int  // client sessions begun
	Kept      int  // locks that were acquired again without the cell
	Completed int  // calls with a definite answer
	Hot       int  // of them, on the contended row
	Unknown   int  // calls of an extension's workload that had no definite answer
	Waits     Waits
	Shown     map[string]string // the latest sequencer of each lock, by path
	Closed    []api.SessionID   // that the cell confirmed to have ended
	Shared    uint64            // times that a program took the handle of another one
	Busy      uint64            // calls that were refused because so many waited
	Deserted  int               // sessions that their clients left without a word
	Stale     uint64            // calls by handles that were tied to a stale sequencer when they began
	TooLarge  uint64            // contents of a byte too many, that programs wrote
	Fence     *Fence            // the resource outside

	filler  string                       // as many as were ever needed
	handles map[*client.Client]*opened   // that its programs may share
	spares  map[*client.Handle]spare     // what was last released by them
	rests   map[*client.Client]time.Time // until when its programs do nothing, by its clock
	queues  map[*client.Client]int       // how many calls may wait to be sent; 0: the usual number
}

// New is the programs of a run before it begins.
func New(e Env) *Programs {
	return &Programs{
		plan: e.Plan, world: e.World, events: e.Events, ids: e.Replicas, history: e.Rows, nodes: e.Files, holdings: e.Locks,
		minds: e.Beliefs, witness: e.Witness, watching: e.Watching, read: e.Read,
		Shown: map[string]string{}, handles: map[*client.Client]*opened{},
		spares: map[*client.Handle]spare{}, rests: map[*client.Client]time.Time{}, queues: map[*client.Client]int{},
	}
}

// publish hands an event to its listeners.
func (c *Programs) publish(e event.Event) { c.events.Publish(c.world.Now(), e) }
