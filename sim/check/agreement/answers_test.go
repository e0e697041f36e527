package agreement

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/worldtest"
)

var lockNode = api.Ref{Path: worldtest.Path("/f"), Instance: 9}

// comes delivers call 1 of session 7 to replica 1.
func (f *facts) comes(op api.Op) { f.h.Calls.OnRequest(1, api.Request{Session: 7, Seq: 1, Op: op}) }

// executes makes a replica apply it, in slot 1 and the present epoch.
func (f *facts) executes(id paxos.NodeID, d command.NodeOp, r api.Result) command.Applied {
	f.vote(1, 1, ballot(1, 1), "a")
	f.vote(2, 1, ballot(1, 1), "a")
	a := command.Applied{Command: command.NodeCommand{Guard: f.h.Epochs.Highest, Session: 7, Seq: 1, Op: d}, Verdict: command.Executed, Result: r}
	f.apply(id, 1, "a", 1, a)
	return a
}

// replies makes replica 1 answer it, in this epoch.
func (f *facts) replies(e api.Epoch, r api.Result) {
	f.h.Calls.OnReply(1, api.Reply{ID: 1, Session: 7, Seq: 1, Epoch: e, Result: r}, nil, nil)
}

// ends requires that this property broke; "" stands for none.
func (f *facts) ends(property string) {
	f.t.Helper()
	if property == "" {
		f.good()
		return
	}
	f.breaks(property)
}

// A deposed master may say that it has poisoned a handle that, by the log, a later master has
// closed. No other operation may be answered so, and not by the master of that epoch.
func TestAPoisonIsMemoryOfOneMaster(t *testing.T) {
	for name, c := range map[string]struct {
		op    api.Op
		epoch api.Epoch
		want  string
	}{
		"of before":         {api.Poison{}, 1, ""},
		"of the same epoch": {api.Poison{}, 2, "I-W1"},
		"another op":        {api.CloseHandle{}, 1, "I-W1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.h.Epochs.Highest = 2
			f.comes(c.op)
			f.executes(1, command.Fail{Code: api.HandleClosed}, api.Result{Code: api.HandleClosed})
			f.good()
			f.replies(c.epoch, api.Result{Code: api.OK})
			f.ends(c.want)
		})
	}
}

// A refusal that was given with authority may be repeated without, also for a Release.
func TestARefusalIsRepeated(t *testing.T) {
	for name, op := range map[string]api.Op{"a read": api.GetStat{}, "a release": api.Release{}} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.h.Epochs.Highest, f.around.alone = 1, func(paxos.NodeID) bool { return false }
			f.comes(op)
			gone := api.Result{Code: api.Gone}
			f.h.Calls.OnReply(1, api.Reply{ID: 1, Session: 7, Seq: 1, Epoch: 1, Result: gone}, nil, []core.Read{{Session: 7, Seq: 1, Result: gone}})
			f.replies(1, gone)
			f.good()
			f.replies(1, api.Result{Code: api.HandleClosed})
			f.breaks("I-W1")
		})
	}
}

// Masters of two epochs answer a call from memory, each by its own rows. The former one,
// which does not know the later yet, repeats its answer, and then gives another one.
func TestEachMasterMayRepeatItsAnswer(t *testing.T) {
	f := newFacts(t)
	f.comes(api.Open{})
	opened := func(children uint64) api.Result {
		return api.Result{Code: api.OK, Detail: api.Opened{Node: lockNode, Stat: api.Stat{Children: children}}}
	}
	f.around.alone = func(paxos.NodeID) bool { return true }
	for e := range api.Epoch(2) {
		f.h.Epochs.Highest = e + 1
		f.replies(e+1, opened(uint64(e+1)))
	}
	f.around.alone = func(paxos.NodeID) bool { return false }
	f.replies(1, opened(1))
	f.replies(2, opened(2))
	f.good()
	f.replies(1, opened(3))
	f.breaks("I-W1")
}

// A deposed master may repeat what it answered from memory, even after a later master has
// executed a copy. It may say nothing else, and not in the later epoch.
func TestADeposedMasterMayRepeatItsAnswer(t *testing.T) {
	first := api.Result{Code: api.OK, Detail: api.Opened{Node: lockNode}}
	for name, c := range map[string]struct {
		epoch api.Epoch
		told  api.Result
		want  string
	}{
		"again":                {1, first, ""},
		"something else":       {1, api.Result{Code: api.NotFound}, "I-W1"},
		"by a later master":    {2, first, "I-W1"},
		"what the log has now": {2, api.Result{Code: api.OK, Detail: api.Opened{Node: lockNode, Created: true}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.around.alone = func(id paxos.NodeID) bool { return id == 1 && f.h.Epochs.Highest == 1 }
			f.h.Epochs.Highest = 1
			f.comes(api.Open{})
			f.replies(1, first)
			f.good()
			f.h.Epochs.Highest = 2
			f.executes(2, command.OpenNode{}, api.Result{Code: api.OK, Detail: api.Opened{Node: lockNode, Created: true}})
			f.replies(c.epoch, c.told)
			f.ends(c.want)
		})
	}
}

// The same if the later master has not executed the call, but a command that gives it up.
func TestADeposedMasterMayRepeatItsAnswerToACancelledCall(t *testing.T) {
	for name, c := range map[string]struct {
		epoch api.Epoch
		told  api.Code
		want  string
	}{
		"again":             {1, api.LockHeld, ""},
		"something else":    {1, api.LockDelayed, "I-W1"},
		"by a later master": {2, api.LockHeld, "I-W1"},
		"that":              {2, api.Cancelled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.around.alone = func(id paxos.NodeID) bool { return id == 1 && f.h.Epochs.Highest == 1 }
			f.h.Epochs.Highest = 1
			f.comes(api.Acquire{})
			f.replies(1, api.Result{Code: api.LockHeld})
			f.good()
			f.h.Epochs.Highest = 2
			f.h.Calls.noteCancelled(command.NodeCommand{Guard: 2, Session: 7, Seq: 2, Op: command.CancelAcquire{Call: 1}}, linearizability.Position{Slot: 5})
			f.replies(c.epoch, api.Result{Code: c.told})
			f.ends(c.want)
		})
	}
}

// A waiting Acquire is told that its handle is closed, and the same master then cancels it in
// the log; a copy of it comes late.
func TestAnAnswerAboutAClosedHandleMayBeRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		before bool // it was told so without the log
		op     api.Op
		want   string
	}{
		"again":               {true, api.Acquire{}, ""},
		"only then":           {false, api.Acquire{}, "I-W1"},
		"again, of any other": {true, api.SetContents{}, "I-W1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.around.alone = func(paxos.NodeID) bool { return c.before }
			f.h.Epochs.Highest = 1
			f.comes(c.op)
			if c.before {
				f.replies(1, api.Result{Code: api.HandleClosed})
			}
			f.good()
			f.around.alone = func(paxos.NodeID) bool { return false }
			f.h.Calls.noteCancelled(command.NodeCommand{Guard: 1, Session: 7, Seq: 2, Op: command.CancelAcquire{Call: 1}}, linearizability.Position{Slot: 5})
			f.replies(1, api.Result{Code: api.HandleClosed})
			f.ends(c.want)
		})
	}
}

// An Acquire that was granted may be told, in the same epoch or later, that the lock is not
// held, if it was released or deleted with its node since; but not while it is held.
func TestAGrantOfBeforeThatIsOver(t *testing.T) {
	for name, c := range map[string]struct {
		epoch api.Epoch
		freed bool
		op    api.Op
		want  string
	}{
		"freed since":           {2, true, api.Acquire{}, ""},
		"still held":            {2, false, api.Acquire{}, "I-W1"},
		"freed in the epoch":    {1, true, api.Acquire{}, ""},
		"held in the epoch":     {1, false, api.Acquire{}, "I-W1"},
		"a Release that was OK": {2, true, api.Release{}, "I-W1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.h.Epochs.Highest = 1
			f.comes(c.op)
			deed := command.Acquire{Node: lockNode, Handle: api.HandleID{Epoch: 3, Counter: 7}, Mode: api.Exclusive}
			granted := f.executes(1, deed, api.Result{Code: api.OK, Detail: api.Held{Gen: 5, Acquisition: 5}})
			require.Equal(t, api.OK, granted.Result.Code)
			f.around.holds = func(k model.Call) bool { return !c.freed && k == model.Call{Session: 7, Seq: 1} }
			f.h.Epochs.Highest = 2
			f.replies(c.epoch, api.Result{Code: api.NotHeld})
			f.ends(c.want)
		})
	}
}

// A client that waits for a lock whose node is deleted may be told so, although its call was
// given up in a later slot, if both slots were applied in one step; but not later.
func TestAnAnswerOfASlotBeforeTheCancel(t *testing.T) {
	cancel := command.Applied{
		Command: command.NodeCommand{Session: 7, Seq: 2, Op: command.CancelAcquire{Call: 1}}, Verdict: command.Executed,
		Result: api.Result{Code: api.OK},
	}
	gone := api.Reply{ID: 1, Session: 7, Seq: 1, Result: api.Result{Code: api.Gone}}
	for later, want := range map[bool]string{false: "", true: "I-W1"} {
		f := newFacts(t)
		f.around.alone = func(paxos.NodeID) bool { return true }
		f.h.Calls.asked[model.Call{Session: 7, Seq: 1}] = aboutNode
		for s := paxos.Slot(1); s <= 2; s++ {
			f.vote(1, s, ballot(1, 1), "a")
			f.vote(2, s, ballot(1, 1), "a")
		}
		f.apply(1, 1, "a", 1, cancel)
		if later {
			f.apply(1, 2, "a", 1)
		}
		f.h.Calls.OnReply(1, gone, nil, nil)
		f.ends(want)
	}
}

// A client that breaks the protocol sends several operations under one number. A master that
// took them in together may answer one from memory, even if the last one concerns a node. An
// answer to an operation that no request asked for is still wrong.
func TestAnAnswerByMemoryToOneOfTwoCallsByOneNumber(t *testing.T) {
	for name, c := range map[string]struct {
		ops  []api.Op
		want string
	}{
		"in order":       {[]api.Op{api.SetContents{}, api.Poison{}}, ""},
		"the other way":  {[]api.Op{api.Poison{}, api.SetContents{}}, ""},
		"not from there": {[]api.Op{api.SetContents{}, api.GetContents{}}, "I-W1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.h.Epochs.Highest = 1
			for _, op := range c.ops {
				f.comes(op)
			}
			f.replies(1, api.Result{Code: api.OK})
			f.ends(c.want)
		})
	}
}

// A refusal from memory is wrong if that master's rows have an answer for the call, whatever
// authority it has: it says that nothing was done. A master cannot know what is later in the
// log than it has applied.
func TestACallWithAStoredAnswerIsNotRefusedFromMemory(t *testing.T) {
	done := api.Result{Code: api.OK, Detail: api.Opened{Node: lockNode, Created: true}}
	for name, c := range map[string]struct {
		op      api.Op
		applies paxos.NodeID
		told    api.Result
		want    string
	}{
		"refused":               {api.Open{}, 1, api.Result{Code: api.Permission}, "I-W1"},
		"repeated":              {api.Open{}, 1, done, ""},
		"refused by a laggard":  {api.Open{}, 2, api.Result{Code: api.Permission}, ""},
		"refused for a handle":  {api.SetSequencer{}, 1, api.Result{Code: api.HandleClosed}, ""},
		"refused as never done": {api.Open{}, 1, api.Result{Code: api.NotFound}, "I-W1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.h.Epochs.Highest = 1
			f.comes(c.op)
			f.executes(c.applies, command.OpenNode{}, done)
			f.h.Epochs.Highest = 2
			read := core.Read{Session: 7, Seq: 1, Result: c.told}
			f.h.Calls.OnReply(1, api.Reply{ID: 1, Session: 7, Seq: 1, Epoch: 2, Result: c.told}, nil, []core.Read{read})
			f.ends(c.want)
		})
	}
}

// One number names a write of a file, which a master of epoch 1 refuses, and a write of a
// row, which the log executes. Then a copy of the former comes.
func TestAnAnswerMayBeRepeatedBesideACallOnARow(t *testing.T) {
	right := api.Result{Code: api.NoRight}
	for name, c := range map[string]struct {
		epoch api.Epoch
		again api.Result
		want  string
	}{
		"the same":               {1, right, ""},
		"another refusal":        {1, api.Result{Code: api.Permission}, "I-W1"},
		"a later master does so": {2, right, "I-W1"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			f.h.Epochs.Highest, f.around.alone = 1, func(paxos.NodeID) bool { return true }
			f.comes(api.SetContents{})
			f.replies(1, right)
			f.comes(api.Put{Key: "k"})
			f.vote(1, 1, ballot(1, 1), "a")
			f.vote(2, 1, ballot(1, 1), "a")
			f.apply(1, 1, "a", 1, command.Applied{Command: command.Call{Guard: 1, Session: 7, Seq: 1, Op: api.Put{Key: "k"}}, Verdict: command.Executed, Result: api.Result{Code: api.OK}})
			f.good()
			f.h.Epochs.Highest, f.around.alone = c.epoch, func(paxos.NodeID) bool { return false }
			f.replies(c.epoch, c.again)
			f.ends(c.want)
		})
	}
}
