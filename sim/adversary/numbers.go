package adversary

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// doubling is the name of the trick doubleCall. askAgain never repeats its calls in a later epoch:
// there, the call on a row could get the answer of the Acquire with the same number.
const doubling = "two calls by one number"

// doubleCall sends a call on a row and a call on a node by one number, one right after the other.
// To the cell they are copies of one call. It reports whether it had a handle for that.
func doubleCall(h *hostile) bool {
	t, has := pick(h.numbers, h.own)
	if !has {
		return false
	}
	row, node := api.Op(api.Put{Key: "guest", Value: "x"}), api.Op(api.SetContents{Handle: t, Contents: "x"})
	if h.numbers.Chance(1, 3) {
		node = api.Acquire{Handle: t, Mode: api.Exclusive, Wait: h.numbers.Chance(1, 2)}
	}
	if h.numbers.Chance(1, 2) {
		row, node = node, row
	}
	h.send(doubling, row, anything)
	h.raw(doubling, api.Request{Session: h.session, Seq: h.seq, AckedThrough: h.seen, Epoch: h.epoch, Op: node}, anything)
	return true
}

// tieHandle ties one of its handles to the sequencer of a lock that it holds, as any client may. It
// reports whether it held one.
func tieHandle(h *hostile) bool {
	held := slices.DeleteFunc(slices.Clone(h.own), func(t api.Token) bool { return h.held[t].Gen == 0 })
	by, holds := pick(h.numbers, held)
	t, _ := pick(h.numbers, h.own)
	if holds {
		q := api.Sequencer{Node: h.stat[by].Node, Mode: api.Exclusive, Gen: h.held[by].Gen}
		h.send("tie", api.SetSequencer{Handle: t, Sequencer: q.Encode()}, anything)
	}
	return holds
}

// tie is a handle that was tied in an epoch: its token before the tie, and its token since.
type tie struct {
	bare, tied api.Token
	epoch      api.Epoch
}

// useTied uses a handle that was tied in an earlier epoch, first by its token from before the tie
// and then by the other one, by which it must still be tied. It reports whether there was one.
func useTied(h *hostile) bool {
	for i, t := range h.bound {
		if t.epoch < h.epoch {
			h.bound = slices.Delete(h.bound, i, i+1)
			h.send("use", api.SetContents{Handle: t.bare, Contents: "bare"}, anything)
			h.send("use", api.SetContents{Handle: t.tied, Contents: "tied"}, anything)
			return true
		}
	}
	return false
}
