package handles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

func TestS14AHandleThatIsClosedTakesNoLock(t *testing.T) {
	for name, c := range map[string]struct {
		guard   api.Epoch
		verdict command.Verdict
		code    api.Code
		breaks  bool
	}{
		"it does":                    {3, command.Executed, api.OK, true},
		"it is refused":              {3, command.Executed, api.HandleClosed, false},
		"it is no more this epoch's": {3, command.Refused, api.OK, false},
		"a later master knows less":  {4, command.Executed, api.OK, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			k.answer("ann", 7, k.asks(7, "ann", 3, api.CloseHandle{Handle: k.token}), 3, api.Result{Code: api.OK})
			id := k.h.Grips.Given[k.token].ID
			k.h.Grips.OnCommand(&command.Applied{
				Command: command.NodeCommand{Guard: c.guard, Session: 7, Seq: 2, Op: command.Acquire{Node: k.node, Handle: id, Mode: api.Exclusive}},
				Verdict: c.verdict, Result: api.Result{Code: c.code},
			})
			require.Equal(t, c.breaks, k.Failure() != nil)
		})
	}
}

func TestS16ASequencerIsCheckedByAHandleOnItsLock(t *testing.T) {
	for name, c := range map[string]struct {
		instance uint64
		code     api.Code
		breaks   bool
	}{
		"its lock":         {0, api.OK, false},
		"another":          {1, api.OK, true},
		"another, refused": {1, api.Invalid, false},
	} {
		k := newKeeper(t)
		q := k.sequencer()
		q.Node.Instance += api.Instance(c.instance)
		seq := k.asks(7, "ann", 3, api.CheckSequencer{Handle: k.token, Sequencer: q.Encode()})
		k.answer("ann", 7, seq, 3, api.Result{Code: c.code})
		require.Equal(t, c.breaks, k.Failure() != nil, name)
	}
}

// A client that goes on with a handle's older token makes calls that no sequencer fences.
func TestS10AHandleThatIsTiedIsUsedAsOne(t *testing.T) {
	for name, c := range map[string]struct {
		op     func(before, tied api.Token) api.Op
		who    api.Principal
		breaks bool
	}{
		"the new token":              {func(_, tied api.Token) api.Op { return api.DeleteNode{Handle: tied} }, "ann", false},
		"that of before":             {func(before, _ api.Token) api.Op { return api.DeleteNode{Handle: before} }, "ann", true},
		"that of before, to acquire": {func(before, _ api.Token) api.Op { return api.Acquire{Handle: before, Mode: api.Shared} }, "ann", true},
		"that of before, to release": {func(before, _ api.Token) api.Op { return api.Release{Handle: before, Acquisition: 1} }, "ann", false},
		"by another principal":       {func(before, _ api.Token) api.Op { return api.DeleteNode{Handle: before} }, "bob", false},
		"no handle":                  {func(_, _ api.Token) api.Op { return api.Put{Key: "a"} }, "ann", false},
	} {
		k := newKeeper(t)
		tied := k.ties()
		seq := k.asks(7, c.who, 3, c.op(k.token, tied))
		f := k.h.Requests.LooseFinding(model.Call{Session: 7, Seq: seq})
		require.Equal(t, c.breaks, f != model.Finding{}, name)
		require.Equal(t, model.Finding{}, k.h.Requests.LooseFinding(model.Call{Session: 7, Seq: seq + 1}), "it was never sent")
	}
}
