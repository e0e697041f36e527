package handles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/sim/check/locks"
	"github.com/chubbycell/chubby/sim/conformance/lockwait"
)

// keeper is a Checker with its Rights, in epoch 3. Ann has session 7 and Bob session 8; Ann
// was given a handle on /f to read and write.
type keeper struct {
	*library
	h     *Checker
	seal  handle.Sealer
	node  api.Ref
	token api.Token
	seq   api.Seq
	lags  bool // the replicas have not applied all
}

// HasAppliedAll implements Facts.
func (k *keeper) HasAppliedAll(paxos.NodeID) bool { return !k.lags }

func newKeeper(t *testing.T) *keeper {
	k := &keeper{library: newLibrary(t)}
	k.h = New(k.World.World, k.b, NewRoom(nodeops.DefaultConfig(), lockwait.New(k.World.World, locks.New(k.World.World, 0))), "", k)
	var err error
	k.seal, err = handle.NewSealer(handle.Secret{1})
	require.NoError(t, err)
	k.epoch(3)
	k.node = k.opens(7, "/f", rw, api.OK, api.ACLNames{}, "")
	k.token = k.given(7, "ann", 1, rw)
	k.Good()
	return k
}

func (k *keeper) epoch(e api.Epoch) {
	k.b.OnCommand(&command.Applied{Effects: []command.Effect{command.EpochBegan{Epoch: rows.Epoch{Number: e}}}})
}

// given opens /f without the log.
func (k *keeper) given(s api.SessionID, who api.Principal, counter uint64, rights api.Rights) api.Token {
	token := k.seal.Seal(handle.Handle{
		ID: api.HandleID{Epoch: 3, Counter: counter}, Session: s, Node: k.node, Kind: api.File, Rights: rights,
	})
	seq := k.asks(s, who, 3, api.Open{Path: "f", Rights: rights})
	k.answer(who, s, seq, 3, api.Result{Code: api.OK, Detail: api.Opened{Token: token, Node: k.node}})
	return token
}

func (k *keeper) sequencer() api.Sequencer {
	return api.Sequencer{Node: k.node, Mode: api.Shared, Gen: 5}
}

// ties ties Ann's handle to a sequencer.
func (k *keeper) ties() api.Token {
	q := k.sequencer()
	token := k.seal.Seal(handle.Handle{
		ID: api.HandleID{Epoch: 3, Counter: 1}, Session: 7, Node: k.node, Kind: api.File, Rights: rw, Fence: q,
	})
	seq := k.asks(7, "ann", 3, api.SetSequencer{Handle: k.token, Sequencer: q.Encode()})
	k.answer("ann", 7, seq, 3, api.Result{Code: api.OK, Detail: api.Opened{Token: token}})
	return token
}

func (k *keeper) asks(s api.SessionID, who api.Principal, e api.Epoch, op api.Op) api.Seq {
	k.seq++
	k.h.Requests.OnRequest(who, api.Request{Session: s, Seq: k.seq, Epoch: e, Op: op})
	return k.seq
}

func (k *keeper) answer(to api.Principal, s api.SessionID, seq api.Seq, e api.Epoch, r api.Result) {
	k.h.Answers.OnReply(1, to, api.Reply{Session: s, Seq: seq, Epoch: e, Result: r}, false)
}

func (k *keeper) proposes(s api.SessionID, seq api.Seq, e api.Epoch, d command.NodeOp) {
	k.h.Intents.OnBegun(1, [][]byte{command.Append(nil, command.NodeCommand{Guard: e, Session: s, Seq: seq, Op: d})})
}

// no takes away all rights on /f.
func (k *keeper) no() {
	k.b.Nodes["/f"].Names[1] = "nobody"
	k.b.Turn()
}

// Each case makes a request, and has it executed by a command or an answer.
func TestS14S16EffectsNeedAJustifyingRequest(t *testing.T) {
	write := func(k *keeper, s api.SessionID, who api.Principal, e api.Epoch, token api.Token) {
		seq := k.asks(s, who, e, api.SetContents{Handle: token, Contents: "x"})
		k.proposes(s, seq, e, command.SetContents{Node: k.node, Contents: "x"})
	}
	read := func(k *keeper, s api.SessionID, who api.Principal, e api.Epoch, token api.Token) {
		seq := k.asks(s, who, e, api.GetContents{Handle: token})
		k.answer(who, s, seq, e, api.Result{Code: api.OK, Value: "x"})
	}
	shut := func(k *keeper, op api.Op) {
		k.answer("ann", 7, k.asks(7, "ann", 3, op), 3, api.Result{Code: api.OK})
	}
	other := handle.Handle{ID: api.HandleID{Epoch: 3, Counter: 9}, Session: 7, Kind: api.File, Rights: rw}
	for name, c := range map[string]struct {
		do     func(k *keeper)
		breaks string
	}{
		"a write": {func(k *keeper) { write(k, 7, "ann", 3, k.token) }, ""},
		"a read":  {func(k *keeper) { read(k, 7, "ann", 3, k.token) }, ""},
		"a write by a forged token": {func(k *keeper) {
			other.Node = k.node
			write(k, 7, "ann", 3, k.seal.Seal(other))
		}, "S14"},
		"a read by a forged token":     {func(k *keeper) { read(k, 7, "ann", 3, k.token[:60]+"x"+k.token[61:]) }, "S14"},
		"a write by another's token":   {func(k *keeper) { write(k, 8, "bob", 3, k.token) }, "S14"},
		"a read by another's token":    {func(k *keeper) { read(k, 8, "bob", 3, k.token) }, "S14"},
		"a write in another's session": {func(k *keeper) { write(k, 7, "bob", 3, k.token) }, "S16"},
		"a read in another's session":  {func(k *keeper) { read(k, 7, "bob", 3, k.token) }, "S16"},
		"another's answer": {func(k *keeper) {
			seq := k.asks(7, "ann", 3, api.GetContents{Handle: k.token})
			k.answer("bob", 7, seq, 3, api.Result{Code: api.OK, Value: "x"})
		}, "S16"},
		"another's session is told": {func(k *keeper) {
			k.h.Answers.OnReply(1, "bob", api.Reply{Result: api.Result{Code: api.OK, Session: 7}}, false)
		}, "S16"},
		"a write that was not asked for": {func(k *keeper) { k.proposes(7, 99, 3, command.SetContents{Node: k.node}) }, "S14"},
		"a write of something else": {func(k *keeper) {
			seq := k.asks(7, "ann", 3, api.SetContents{Handle: k.token, Contents: "x"})
			k.proposes(7, seq, 3, command.SetContents{Node: k.node, Contents: "y"})
		}, "S14"},
		"a write to another node": {func(k *keeper) {
			seq := k.asks(7, "ann", 3, api.SetContents{Handle: k.token, Contents: "x"})
			k.proposes(7, seq, 3, command.SetContents{Node: api.Ref{Path: k.node.Path, Instance: 88}, Contents: "x"})
		}, "S14"},
		"a write asked for in an earlier epoch": {func(k *keeper) {
			seq := k.asks(7, "ann", 2, api.SetContents{Handle: k.token, Contents: "x"})
			k.proposes(7, seq, 3, command.SetContents{Node: k.node, Contents: "x"})
		}, "S14"},
		"a write by a closed handle": {func(k *keeper) {
			shut(k, api.CloseHandle{Handle: k.token})
			write(k, 7, "ann", 3, k.token)
		}, "S14"},
		"a read by a closed handle": {func(k *keeper) {
			shut(k, api.CloseHandle{Handle: k.token})
			read(k, 7, "ann", 3, k.token)
		}, "S14"},
		"a write by a closed handle, in a later epoch": {func(k *keeper) {
			shut(k, api.CloseHandle{Handle: k.token})
			k.epoch(4)
			write(k, 7, "ann", 4, k.token)
		}, ""},
		"a write by a poisoned handle": {func(k *keeper) {
			shut(k, api.Poison{Handle: k.token})
			write(k, 7, "ann", 3, k.token)
		}, "S14"},
		"an Acquire that waited on a poisoned handle": {func(k *keeper) {
			seq := k.asks(7, "ann", 3, api.Acquire{Handle: k.token, Mode: api.Exclusive, Wait: true})
			shut(k, api.Poison{Handle: k.token})
			k.proposes(7, seq, 3, command.Acquire{Node: k.node, Handle: api.HandleID{Epoch: 3, Counter: 1}, Mode: api.Exclusive, Wait: true})
		}, "S14"},
		"an answer to what was under way when it was closed": {func(k *keeper) {
			seq := k.asks(7, "ann", 3, api.GetContents{Handle: k.token})
			shut(k, api.CloseHandle{Handle: k.token})
			k.answer("ann", 7, seq, 3, api.Result{Code: api.OK, Value: "x"})
		}, ""},
		"a write without the right": {func(k *keeper) { write(k, 8, "bob", 3, k.given(8, "bob", 2, api.RightRead)) }, "S16"},
		"a shared lock without the right": {func(k *keeper) {
			token := k.given(8, "bob", 2, api.RightRead)
			seq := k.asks(8, "bob", 3, api.Acquire{Handle: token, Mode: api.Shared})
			k.proposes(8, seq, 3, command.Acquire{Node: k.node, Handle: api.HandleID{Epoch: 3, Counter: 2}, Mode: api.Shared})
		}, "S16"},
		"more rights than were asked for": {func(k *keeper) {
			seq := k.asks(8, "bob", 3, api.Open{Path: "f", Rights: api.RightRead})
			token := k.seal.Seal(handle.Handle{ID: api.HandleID{Epoch: 3, Counter: 2}, Session: 8, Node: k.node, Kind: api.File, Rights: rw})
			k.answer("bob", 8, seq, 3, api.Result{Code: api.OK, Detail: api.Opened{Token: token, Node: k.node}})
		}, "S16"},
		"more rights than the program named": {func(k *keeper) {
			g, ok := GripBy(k.given(8, "bob", 2, rw))
			require.True(t, ok)
			k.h.Grips.OnHandleGot(g.ID, api.RightRead)
		}, "S16"},
		"the rights that the program named": {func(k *keeper) {
			g, ok := GripBy(k.given(8, "bob", 2, rw))
			require.True(t, ok)
			k.h.Grips.OnHandleGot(g.ID, rw)
		}, ""},
		"an Open that the ACLs do not allow": {func(k *keeper) {
			k.b.Nodes["/f"].Names[1] = "nobody"
			k.given(8, "bob", 2, rw)
		}, "S16"},
		"a read of a node that is gone": {func(k *keeper) {
			k.gone(k.node)
			read(k, 7, "ann", 3, k.token)
		}, "S14"},
		"a read of another node with that path": {func(k *keeper) {
			k.gone(k.node)
			k.opens(7, "/f", rw, api.OK, api.ACLNames{}, "")
			read(k, 7, "ann", 3, k.token)
		}, "S14"},
		"a right that was taken away, in this epoch": {func(k *keeper) {
			k.no()
			write(k, 7, "ann", 3, k.token)
		}, ""},
		"a right that was taken away, in the next epoch": {func(k *keeper) {
			k.no()
			k.epoch(4)
			write(k, 7, "ann", 4, k.token)
		}, "S16"},
		"a right that was taken away in the next epoch": {func(k *keeper) {
			k.epoch(4)
			k.no()
			write(k, 7, "ann", 4, k.token)
		}, ""},
		"a handle that was given out when its epoch was over": {func(k *keeper) {
			k.epoch(4)
			write(k, 8, "bob", 4, k.given(8, "bob", 2, rw))
		}, ""},
		"a write by a handle that is tied to a sequencer": {func(k *keeper) {
			seq := k.asks(7, "ann", 3, api.SetContents{Handle: k.ties(), Contents: "x"})
			k.proposes(7, seq, 3, command.SetContents{Node: k.node, Contents: "x", Fence: k.sequencer()})
			require.Equal(t, []api.Sequencer{k.sequencer()}, k.h.Grips.TiedTo(api.SetContents{Handle: k.ties()}))
			require.Empty(t, k.h.Grips.TiedTo(api.SetContents{Handle: k.token}))
			require.Empty(t, k.h.Grips.TiedTo(api.CloseHandle{Handle: k.ties()}))
		}, ""},
		"a write by a handle that is tied to a sequencer, without that": {func(k *keeper) {
			write(k, 7, "ann", 3, k.ties())
		}, "S10"},
		"a refusal": {func(k *keeper) {
			seq := k.asks(8, "bob", 3, api.GetContents{Handle: k.token})
			k.answer("bob", 8, seq, 3, api.Result{Code: api.BadHandle})
			require.EqualValues(t, 1, k.h.Answers.Refused())
		}, ""},
		"a token that is none": {func(k *keeper) {
			seq := k.asks(8, "bob", 3, api.Open{Path: "f", Rights: rw})
			k.answer("bob", 8, seq, 3, api.Result{Code: api.OK, Detail: api.Opened{Token: "x", Node: k.node}})
		}, "S14"},
		"rows of a session that is yet to be opened": {func(k *keeper) {
			seq := k.asks(99, "bob", 3, api.Put{Key: "k"})
			k.h.Intents.OnBegun(1, [][]byte{command.Append(nil, command.Call{Guard: 3, Session: 99, Seq: seq, Op: api.Put{Key: "k"}})})
		}, "S16"},
		"rows of another's session": {func(k *keeper) {
			seq := k.asks(7, "bob", 3, api.Put{Key: "k"})
			k.h.Intents.OnBegun(1, [][]byte{command.Append(nil, command.Call{Guard: 3, Session: 7, Seq: seq, Op: api.Put{Key: "k"}})})
		}, "S16"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			c.do(k)
			if c.breaks == "" {
				k.Good()
			} else {
				k.Breaks(c.breaks)
			}
		})
	}
}

// A deposed master gives out a handle of epoch 3 during epoch 4, and its session writes with
// it.
func TestS16AHandleThatADeposedMasterGivesOut(t *testing.T) {
	for name, c := range map[string]struct {
		before, since func(k *keeper)
		breaks        bool
	}{
		"the rights are there still":      {nil, nil, false},
		"they were taken away before":     {(*keeper).no, nil, true},
		"they were taken away in epoch 4": {nil, (*keeper).no, false},
	} {
		k := newKeeper(t)
		k.lags = true
		if c.before != nil {
			c.before(k)
		}
		k.epoch(4)
		if c.since != nil {
			c.since(k)
		}
		token := k.given(7, "ann", 2, rw)
		seq := k.asks(7, "ann", 4, api.SetContents{Handle: token, Contents: "x"})
		k.proposes(7, seq, 4, command.SetContents{Node: k.node, Contents: "x"})
		require.Equal(t, c.breaks, k.Failure() != nil, name)
	}
}

// A master hands to the log, for calls, only what it has decided on.
func TestS14NothingIsProposedThatWasNotBegun(t *testing.T) {
	for name, c := range map[string]struct {
		begun, proposed int
		breaks          bool
	}{
		"in its turn": {1, 1, false},
		"not yet":     {2, 1, false},
		"never begun": {0, 1, true},
		"twice":       {1, 2, true},
	} {
		k := newKeeper(t)
		b := k.h
		raw := command.Append(nil, command.NodeCommand{Guard: 1, Session: 7, Seq: 3, Op: command.Fail{Code: api.Gone}})
		other := command.Append(nil, command.ConfirmLeadership{Guard: 1})
		for range c.begun {
			b.Intents.OnBegun(1, [][]byte{raw})
		}
		for range c.proposed {
			b.Intents.OnProposed(1, [][]byte{other, raw})
		}
		require.Equal(t, c.breaks, k.Failure() != nil, name)
	}
}

// Commands of one session are proposed in the order in which they were begun. So are those
// that the log refused, once they are begun again.
func TestS14BegunCommandsAreProposedInOrder(t *testing.T) {
	act := func(s api.SessionID, seq api.Seq) []byte {
		return command.Append(nil, command.NodeCommand{Guard: 1, Session: s, Seq: seq, Op: command.Fail{Code: api.Gone}})
	}
	one, two, other := act(7, 1), act(7, 2), act(8, 1)
	for name, c := range map[string]struct {
		begun, proposed [][]byte
		breaks          bool
	}{
		"in order":                 {[][]byte{one, two}, [][]byte{one, two}, false},
		"the other way":            {[][]byte{one, two}, [][]byte{two, one}, true},
		"of two sessions":          {[][]byte{one, other}, [][]byte{other, one}, false},
		"the first is begun again": {[][]byte{one, two, one}, [][]byte{two, one}, false},
	} {
		k := newKeeper(t)
		k.h.Intents.OnBegun(1, c.begun)
		k.h.Intents.OnBegun(2, [][]byte{two, one}) // another master
		k.h.Intents.OnProposed(1, c.proposed)
		k.h.Intents.OnProposed(2, [][]byte{two, one})
		if require.Equal(t, c.breaks, k.Failure() != nil, name); c.breaks {
			require.Contains(t, k.Failure().Text, "which it began before call 2 of session 7, and that one it has proposed already", name)
		}
	}
}

// A TryAcquire of session 7 is refused without the log in epoch 3.
func TestS5ADefiniteRefusalStays(t *testing.T) {
	op := func(k *keeper) api.Op { return api.Acquire{Handle: k.token, Mode: api.Exclusive} }
	nodeOp := func(k *keeper) command.NodeOp {
		return command.Acquire{Node: k.node, Handle: api.HandleID{Epoch: 3, Counter: 1}, Mode: api.Exclusive}
	}
	for name, c := range map[string]struct {
		code   api.Code
		logged bool
		then   func(k *keeper, seq api.Seq)
		breaks bool
	}{
		"a copy gets the same": {api.LockHeld, false, func(k *keeper, seq api.Seq) {
			k.answer("ann", 7, seq, 3, api.Result{Code: api.LockHeld})
		}, false},
		"a copy gets another answer": {api.LockHeld, false, func(k *keeper, seq api.Seq) {
			k.answer("ann", 7, seq, 3, api.Result{Code: api.LockDelayed})
		}, true},
		"a copy is worked on": {api.LockHeld, false, func(k *keeper, seq api.Seq) { k.proposes(7, seq, 3, nodeOp(k)) }, true},
		"another call of its number is": {api.LockHeld, false, func(k *keeper, seq api.Seq) {
			k.h.Requests.OnRequest("ann", api.Request{Session: 7, Seq: seq, Epoch: 3, Op: api.Release{Handle: k.token}})
			k.proposes(7, seq, 3, nodeOp(k))
		}, false},
		"it was busy": {api.Busy, false, func(k *keeper, seq api.Seq) { k.proposes(7, seq, 3, nodeOp(k)) }, false},
		"by the log":  {api.LockHeld, true, func(k *keeper, seq api.Seq) { k.proposes(7, seq, 3, nodeOp(k)) }, false},
		"in another epoch": {api.LockHeld, false, func(k *keeper, seq api.Seq) {
			k.epoch(4)
			k.h.Requests.OnRequest("ann", api.Request{Session: 7, Seq: seq, Epoch: 4, Op: op(k)})
			k.proposes(7, seq, 4, nodeOp(k))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			seq := k.asks(7, "ann", 3, op(k))
			k.h.Answers.OnReply(1, "ann", api.Reply{Session: 7, Seq: seq, Epoch: 3, Result: api.Result{Code: c.code}}, c.logged)
			c.then(k, seq)
			require.Equal(t, c.breaks, k.Failure() != nil)
			if c.breaks {
				k.Breaks("S5")
			}
		})
	}
}
