package cell

import "github.com/chubbycell/chubby/replica/api"

// doubling is what doubles tries. Neither of its calls is asked again in a later epoch:
// there, a call on a row is told of a lock what its number was told when it got that.
const doubling = "two calls by one number"

// doubles asks for something of a row and of a node by one number, the one while the
// other is on its way: they are copies of one call, for all that the cell knows. It says
// whether it had a handle to ask by.
func (h *hostile) doubles() bool {
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
	h.raw(doubling, api.Request{Session: h.session, Seq: h.seq, Seen: h.seen, Epoch: h.epoch, Op: node}, anything)
	return true
}
