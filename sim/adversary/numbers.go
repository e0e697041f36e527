package adversary

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// doubling is what doubles tries. Neither of its calls is asked again in a later epoch:
// there, a call on a row is told of a lock what its number was told when it got that.
const doubling = "two calls by one number"

// doubles asks for something of a row and of a node by one number, the one while the
// other is on its way: they are copies of one call, for all that the cell knows. It says
// whether it had a handle to ask by.
func doubles(h *hostile) bool {
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

// ties ties one of its handles to the sequencer of a lock that it holds, as any client may.
// It says whether it could.
func ties(h *hostile) bool {
	held := slices.DeleteFunc(slices.Clone(h.own), func(t api.Token) bool { return h.held[t].Gen == 0 })
	by, holds := pick(h.numbers, held)
	t, _ := pick(h.numbers, h.own)
	if holds {
		q := api.Sequencer{Node: h.stat[by].Node, Mode: api.Exclusive, Gen: h.held[by].Gen}
		h.send("tie", api.SetSequencer{Handle: t, Sequencer: q.Encode()}, anything)
	}
	return holds
}

// tie is a handle that was tied: by which token it was named before, and by which since.
type tie struct {
	bare, tied api.Token
	epoch      api.Epoch
}

// unties names a handle that was tied in an earlier epoch to the present master, first by
// the token of before and then by the other one, for which it must be tied still. It says
// whether there was one.
func unties(h *hostile) bool {
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
