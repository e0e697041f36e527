package adversary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
)

// rareTricks are further tricks. They have draws of their own, so that they do not change those of
// tricks.
var rareTricks = []func(*hostile){
	cancelOld, flipMode, deepen, reopen, askLongDelay, compareTooLarge,
	readPage, hoard, lengthenToken,
}

// gone are the codes that any call by one of its own handles may get.
var gone = []api.Code{api.HandleClosed, api.HandlePoisoned, api.BadHandle, api.Gone, api.StaleSequencer, api.Permission, api.NoRight}

func onlyOr(codes ...api.Code) func(api.Reply) bool { return only(append(codes, gone...)...) }

// cancelOld gives up a call that it has acknowledged long ago, with an AckedThrough lower than an
// earlier one; or a call that it has not made yet.
func cancelOld(h *hostile) {
	t, has := pick(h.odd, h.own)
	if !has {
		return
	}
	h.seq++
	q := api.Request{Session: h.session, Seq: h.seq, AckedThrough: h.seen, Epoch: h.epoch}
	if h.odd.Chance(1, 3) {
		q.Op = api.CancelAcquire{Handle: t, Call: q.Seq + api.Seq(h.odd.Int(3))}
		h.raw("to cancel no call", q, onlyOr(api.Invalid))
		return
	}
	low := max(q.Seq, api.MaxWindow) - api.MaxWindow + 1
	if h.seen < low {
		return
	}
	call := low + api.Seq(h.odd.N(uint64(h.seen-low+1)))
	q.AckedThrough, q.Op = call-1, api.CancelAcquire{Handle: t, Call: call}
	h.raw("to cancel what was given up", q, anything)
}

// flipMode presents the sequencer of a lock that it holds, in the other mode.
func flipMode(h *hostile) {
	t, ok := pick(h.odd, holding(h))
	if !ok {
		return
	}
	s := api.Sequencer{Node: h.stat[t].Node, Mode: api.Exclusive, Gen: h.held[t].Gen}
	if h.modes[t] == api.Exclusive {
		s.Mode = api.Shared
	}
	op := api.Op(api.CheckSequencer{Handle: t, Sequencer: s.Encode()})
	if h.odd.Chance(1, 3) {
		op = api.SetSequencer{Handle: t, Sequencer: s.Encode()}
	}
	h.send("a sequencer of the other mode", op, onlyOr())
}

// deepen opens a path relative to a directory that it has open. Only together with that directory
// the path is too deep or too long.
func deepen(h *hostile) {
	t, ok := pick(h.odd, slices.DeleteFunc(slices.Clone(h.own), func(t api.Token) bool { return h.stat[t].Stat.Kind != api.Directory }))
	if !ok {
		return
	}
	path := strings.Repeat("d/", api.MaxDepth-1) + "d"
	if h.odd.Chance(1, 2) {
		long := strings.Repeat("n", api.MaxComponent)
		path = strings.Join([]string{long, long, long, long[:api.MaxPath-3*api.MaxComponent-5]}, "/")
	}
	op := api.Open{Dir: t, Path: path, Rights: api.RightRead}
	if h.odd.Chance(1, 2) {
		op.Create, op.Kind = api.CreateMay, api.File
	}
	h.send("a bad path below a directory", op, onlyOr(api.Invalid))
}

// reopen opens the node of a handle again, relative to that handle. The answer must be the same
// instance, or an error.
func reopen(h *hostile) {
	t, ok := pick(h.odd, h.own)
	if !ok {
		return
	}
	was := h.stat[t]
	op := api.Open{Dir: t, Rights: api.RightRead, Create: api.CreateMay, Kind: was.Stat.Kind}
	h.send("to open the same again", op, func(p api.Reply) bool {
		o, opened := p.Detail.(api.Opened)
		return p.Code != api.OK || opened && !o.Created && (o.Node == was.Node || o.Node == api.Ref{})
	})
}

// askLongDelay asks for a longer lock-delay than the cell grants. It gets the longest, and an
// ordinary handle.
func askLongDelay(h *hostile) {
	op := api.Open{Path: place(h), Rights: api.RightRead | api.RightWrite, Delay: api.LockDelay(model.LongestDelay.Milliseconds()) + 1 + api.LockDelay(h.odd.Int(1<<20))}
	h.send("open", op, anything)
}

// compareTooLarge makes a conditional write whose value or whose condition is too large.
func compareTooLarge(h *hostile) {
	op := api.CompareAndSet{Key: "guest", Absent: true, Value: strings.Repeat("x", plan.LargestFile+1)}
	if h.odd.Chance(1, 2) {
		op.Absent, op.Expect, op.Value = false, op.Value, "x"
	}
	h.send("too large a comparison", op, only(api.TooLarge))
}

// readPage reads a page of a directory, after a drawn name and of a drawn size.
func readPage(h *hostile) {
	t, ok := pick(h.odd, slices.DeleteFunc(slices.Clone(h.own), func(t api.Token) bool { return h.stat[t].Stat.Kind != api.Directory }))
	if !ok {
		return
	}
	after, most := fmt.Sprintf("f%d", h.odd.Int(4)), h.odd.Uint64()>>h.odd.Int(64)
	h.send("a page", api.ReadDir{Handle: t, After: after, Most: most}, func(p api.Reply) bool {
		l, _ := p.Detail.(api.Listing)
		if n := uint64(len(l.Children)); most > 0 && (n > most || n < most && l.More) {
			return false
		}
		last := after
		for _, c := range l.Children {
			if c.Name <= last {
				return false
			}
			last = c.Name
		}
		return true
	})
}

// hoard writes rows whose total size exceeds one answer, lists them and deletes them, in a cell
// that has room for large rows.
func hoard(h *hostile) {
	const most, all = 1 << 20, 1<<20/plan.LargestFile + 1
	if h.of.plan.Workload != plan.Big {
		return
	}
	n := h.hoarded
	h.hoarded = (n + 1) % (2*all + 1)
	key := func(n int) string { return fmt.Sprintf("hoard/%d", n%all) }
	switch {
	case n < all:
		h.send("to hoard", api.Put{Key: key(n), Value: strings.Repeat("x", plan.LargestFile)}, anything)
	case n == all:
		h.send("all that it hoards", api.List{Prefix: "hoard/"}, func(p api.Reply) bool {
			size := 0
			for _, x := range p.Pairs {
				size += len(x.Key) + len(x.Value)
			}
			return size <= most
		})
	default:
		h.send("to hoard", api.Delete{Key: key(n)}, anything)
	}
}

// lengthenToken makes the longest tokens that exist: of a node with a long name, tied to the
// sequencer of its lock. They must work like others.
func lengthenToken(h *hostile) {
	if t, ok := pick(h.odd, h.tied); ok && h.odd.Chance(1, 2) {
		h.send("a long token", api.GetStat{Handle: t}, func(p api.Reply) bool { return p.Code != api.Invalid })
		return
	}
	long := slices.DeleteFunc(slices.Clone(h.own), func(t api.Token) bool { return h.stat[t].Node.Path.Depth() < 4 })
	t, has := pick(h.odd, long)
	held, holds := h.held[t]
	switch {
	case !has:
		op := api.Open{Path: "guest", Rights: api.RightRead | api.RightWrite, Create: api.CreateMay, Kind: api.Directory}
		for n := range 3 {
			if op.Path += "/" + strings.Repeat("g", api.MaxComponent); n == 2 {
				op.Kind = api.File
			}
			h.send("open", op, anything)
		}
	case !holds:
		h.send("acquire", api.Acquire{Handle: t, Mode: api.Exclusive}, anything)
	default:
		q := api.Sequencer{Node: h.stat[t].Node, Mode: h.modes[t], Gen: held.Gen}
		h.send("a long sequencer", api.SetSequencer{Handle: t, Sequencer: q.Encode()}, func(p api.Reply) bool {
			if o, ok := p.Detail.(api.Opened); ok && p.Code == api.OK {
				h.tied = []api.Token{o.Token}
			}
			return p.Code != api.Invalid
		})
	}
}
