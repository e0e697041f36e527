package adversary

import (
	"maps"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/workload"
)

// turn sends one or a few requests.
func turn(h *hostile) {
	switch {
	case h.session == 0 || h.epoch == 0:
		openSession(h)
	case h.widened != "":
		h.send("use", api.SetContents{Handle: h.widened, Contents: "more"}, anything)
		h.widened = ""
	case h.numbers.Chance(1, 8) && doubleCall(h), h.numbers.Chance(1, 8) && tieHandle(h), h.numbers.Chance(1, 2) && useTied(h):
	case h.draws.Chance(1, 4) && widen(h), h.draws.Chance(1, 4) && askAgain(h):
	case h.draws.Chance(1, 3):
		behave(h)
	case h.odd.Chance(1, 4):
		rareTricks[h.odd.Int(len(rareTricks))](h)
	default:
		tricks[h.draws.Int(len(tricks))](h)
	}
}

// tricks are the tricks of the hostile client, all equally likely.
var tricks = []func(*hostile){
	forge, steal, impersonate, misdate, miscount,
	repeat, exceed, misname, fakeSequencer, reuse,
	presume, garble, poll, misrelease, guess,
}

// only allows answers with one of the codes. An answer with a code other than OK must reveal
// nothing.
func only(codes ...api.Code) func(api.Reply) bool {
	return func(p api.Reply) bool {
		for _, c := range codes {
			if p.Code == c {
				return c == api.OK || !model.Tells(p.Result)
			}
		}
		return false
	}
}

// anything allows every answer. It is for calls that honest clients make as well.
func anything(api.Reply) bool { return true }

// forge uses a token that is altered, cut or made up.
func forge(h *hostile) {
	t, has := pick(h.draws, append(append([]api.Token(nil), h.own...), h.of.heard.tokens...))
	b := []byte(t)
	switch n := h.draws.Int(4); {
	case !has || n == 0:
		b = randomBytes(h, 1+h.draws.Int(200))
	case n == 1:
		b = b[:h.draws.Int(len(b))]
	default:
		b[h.draws.Int(len(b))] ^= byte(1 + h.draws.Int(255))
	}
	if forged := api.Token(b); h.of.facts.Given(forged) == nil {
		h.send("a forged token", useOf(h, forged), only(api.BadHandle, api.Invalid))
	}
}

// randomBytes draws n bytes.
func randomBytes(h *hostile, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(h.draws.Int(256))
	}
	return b
}

// steal uses a token of another session in its own session.
func steal(h *hostile) {
	t, ok := pick(h.draws, h.of.heard.tokens)
	if g := h.of.facts.Given(t); !ok || g == nil || g.Session == h.session {
		return
	}
	if h.draws.Chance(1, 6) {
		q := api.Request{Session: h.session, Epoch: h.epoch, Op: api.KeepAlive{AckedEpoch: h.epoch, Now: true, Tokens: []api.Token{t}}}
		h.raw("to present another's token", q, anything)
		return
	}
	op := useOf(h, t)
	switch h.draws.Int(4) {
	case 0:
		op = api.CloseHandle{Handle: t}
	case 1:
		op = api.Poison{Handle: t}
	}
	h.send("another's token", op, only(api.BadHandle))
}

// impersonate sends a request in the session of another client.
func impersonate(h *hostile) {
	s, ok := pick(h.draws, h.of.heard.session)
	if !ok || s == h.session {
		return
	}
	t, _ := pick(h.draws, h.of.heard.tokens)
	q := api.Request{Session: s, Seq: api.Seq(1 + h.draws.Int(300)), Epoch: h.epoch}
	q.AckedThrough = q.Seq - 1
	switch h.draws.Int(6) {
	case 0:
		q.Op = api.EndSession{}
	case 1:
		q.Op = api.Put{Key: workload.HotRow, Value: "mine"}
	case 2:
		q.Op = api.Get{Key: workload.HotRow}
	case 3:
		q.Seq, q.Op = 0, api.KeepAlive{AckedEpoch: h.epoch, Now: true} // which also says that the other client waits for no answer
	case 4:
		q.Op = api.Open{Path: strings.TrimPrefix(workload.HotNode, "/"), Rights: api.RightRead}
	default:
		if t == "" {
			return
		}
		q.Op = useOf(h, t)
	}
	h.raw("another's session", q, only(api.Permission, api.Invalid))
}

// guess sends requests in sessions that are not open yet. Session ids are numbers of commands, so a
// client may be just about to get one.
func guess(h *hostile) {
	for i := range 1 + h.draws.Int(4) {
		next := api.SessionID(h.of.facts.LastNumber()) + api.SessionID(i+1)
		op := api.Op(api.EndSession{})
		if h.draws.Chance(1, 2) {
			op = api.Put{Key: "guest", Value: "x"}
		}
		h.raw("a session to come", api.Request{Session: next, Seq: 1 << 40, AckedThrough: 1<<40 - 1, Epoch: h.epoch, Op: op}, func(p api.Reply) bool {
			own := h.of.facts.OpenedBy(next) == h.of.Name() // it became a session of its own
			return own || only(api.Permission)(p)
		})
	}
}

// misdate names an epoch that is over, or that never was.
func misdate(h *hostile) {
	q := api.Request{Session: h.session, Seq: h.seq + 1, AckedThrough: h.seen, Epoch: h.epoch + 1000, Op: api.Put{Key: "guest", Value: "late"}}
	if h.draws.Chance(1, 2) {
		q.Epoch = api.Epoch(h.draws.N(uint64(h.epoch)))
	}
	if t, ok := pick(h.draws, h.own); ok && h.draws.Chance(1, 2) {
		q.Op = useOf(h, t)
	}
	h.raw("a wrong epoch", q, func(p api.Reply) bool { return p.Epoch == q.Epoch }) // from a replica that believes to be master of that epoch
}

// miscount numbers a call in a forbidden way.
func miscount(h *hostile) {
	q := api.Request{Session: h.session, Seq: h.seq + 1, AckedThrough: h.seq + 1, Epoch: h.epoch, Op: api.Put{Key: "guest", Value: "x"}}
	switch h.draws.Int(3) {
	case 0:
		q.AckedThrough = h.seen
		q.Seq = h.seen + api.MaxWindow + 1
	case 1:
		q.Seq, q.AckedThrough = 0, 0
	}
	h.raw("a wrong number", q, only(api.Invalid))
}

// repeat sends again a request that it or another client has sent before.
func repeat(h *hostile) {
	from := h.wires
	if h.draws.Chance(2, 3) {
		from = h.of.heard.wires
	}
	if b, ok := pick(h.draws, from); ok {
		h.of.Tricks["a replay, sent"]++
		h.wire(b)
	}
}

// exceed asks for more than any limit allows.
func exceed(h *hostile) {
	size := api.MaxContents + 1 + h.draws.Int(100)
	long := func() string { return strings.Repeat("x", size) }
	t, has := pick(h.draws, h.own)
	switch n := h.draws.Int(12); {
	case n == 0:
		h.send("too large a value", api.Put{Key: "guest", Value: long()}, only(api.TooLarge))
	case n == 1 && has:
		h.send("too large contents", api.SetContents{Handle: t, Contents: long()}, only(api.TooLarge))
	case n == 2:
		op := api.Open{Path: "guest/long", Rights: api.RightRead, Create: api.CreateMay, Kind: api.File, Contents: long()}
		h.send("too large contents", op, only(api.TooLarge))
	case n == 3:
		h.wire([]byte(long()))
	case n < 8:
		h.send("too long a key", api.Get{Key: strings.Repeat("x", api.MaxKey+1+h.draws.Int(100))}, only(api.TooLarge))
	default:
		h.send("too long a token", api.GetStat{Handle: api.Token(strings.Repeat("x", api.MaxToken+1))}, only(api.Invalid))
	}
}

// misname uses an invalid path.
func misname(h *hostile) {
	deep := strings.Repeat("d/", api.MaxDepth) + "d"
	names := []string{
		"/guest", "guest//f", "guest/", ".", "guest/../acl", "..", "a\x00b", "\xff", strings.Repeat("n", api.MaxComponent+1), deep,
		strings.Repeat("p/", api.MaxPath),
	}
	name, _ := pick(h.draws, names)
	op := api.Open{Path: name, Rights: api.RightRead | api.RightWrite}
	if h.draws.Chance(1, 2) {
		op.Create, op.Kind = api.CreateMay, api.File
	}
	h.send("a bad path", op, only(api.Invalid))
}

// fakeSequencer presents a sequencer that is malformed, was never given out, is no longer valid, or
// may be valid for another lock than that of the handle.
func fakeSequencer(h *hostile) {
	t, has := pick(h.draws, h.own)
	if !has {
		return
	}
	q := api.Sequencer{Node: h.stat[t].Node, Mode: api.Exclusive, Gen: api.LockGen(1<<40 + h.draws.N(1<<20))}.Encode()
	switch old, ok := pick(h.draws, h.expired); {
	case ok && h.draws.Chance(1, 2):
		q = old
	case h.draws.Chance(1, 3):
		q = string(randomBytes(h, 1+h.draws.Int(40)))
	}
	no := only(api.Invalid, api.StaleSequencer, api.Gone, api.HandleClosed, api.HandlePoisoned, api.BadHandle, api.Permission)
	if h.draws.Chance(1, 2) {
		if other, ok := h.overheard(h.stat[t].Node); ok && h.draws.Chance(1, 3) {
			q = other
		}
		h.send("a bad sequencer", api.CheckSequencer{Handle: t, Sequencer: q}, no)
		return
	}
	h.send("a bad sequencer", api.SetSequencer{Handle: t, Sequencer: q}, no)
}

// overheard draws a lock other than that of node but, and returns the latest sequencer of that
// lock.
func (h *hostile) overheard(but api.Ref) (string, bool) {
	var all []string
	for _, path := range slices.Sorted(maps.Keys(h.of.programs.Shown)) {
		if q, err := api.ParseSequencerText(h.of.programs.Shown[path]); err == nil && q.Node != but {
			all = append(all, q.Encode())
		}
	}
	return pick(h.draws, all)
}

// reuse uses a handle that it has closed or poisoned, or closes or poisons one.
func reuse(h *hostile) {
	if s, ok := pick(h.draws, h.shut); ok && h.draws.Chance(2, 3) {
		h.send("a handle that is shut", useOf(h, s.token), func(p api.Reply) bool {
			return p.Epoch != s.epoch || only(api.HandleClosed, s.code, api.BadHandle)(p)
		})
		return
	}
	t, ok := pick(h.draws, h.own)
	switch {
	case !ok:
	case h.draws.Chance(1, 2):
		h.send("close", api.CloseHandle{Handle: t}, only(api.OK, api.BadHandle))
	default:
		h.send("poison", api.Poison{Handle: t}, anything)
	}
}

// presume makes a call for which its handle lacks the right.
func presume(h *hostile) {
	t, ok := pick(h.draws, h.own)
	if !ok {
		return
	}
	g := h.of.facts.Given(t)
	if g == nil || g.Rights != api.RightRead {
		return
	}
	no := only(api.NoRight, api.HandleClosed, api.HandlePoisoned, api.Gone, api.BadHandle)
	switch h.draws.Int(4) {
	case 0:
		h.send("to write without the right", api.SetContents{Handle: t, Contents: "mine"}, no)
	case 1:
		h.send("to delete without the right", api.DeleteNode{Handle: t}, no)
	case 2:
		h.send("to lock without the right", api.Acquire{Handle: t, Mode: api.Shared, Wait: true}, no)
	case 3:
		h.send("to change ACLs without the right", api.SetACL{Handle: t, Names: api.ACLNames{Read: "x", Write: "x", Change: "x"}}, no)
	}
}

// misrelease releases a lock with the wrong acquisition: an older one, as a Release that was long
// under way would have.
func misrelease(h *hostile) {
	t, ok := pick(h.draws, h.own)
	held, holds := h.held[t]
	if !ok || !holds {
		return
	}
	a := held.Acquisition - api.Acquisition(1+h.draws.Int(int(min(held.Acquisition, 8))))
	h.send("a wrong acquisition", api.Release{Handle: t, Acquisition: a},
		only(api.NotHeld, api.HandleClosed, api.HandlePoisoned, api.BadHandle, api.Gone, api.Invalid))
}

// widening is the name of the trick widen.
const widening = "to open again for more"

// widen sends an Open that was answered in an earlier epoch again, for more rights. The stored
// answer may say nothing of those, and the handle must not grant them; it is used in the next turn.
// It reports whether there was such an Open.
func widen(h *hostile) bool {
	h.opened = slices.DeleteFunc(h.opened, func(o answered) bool { return o.seq <= h.seen })
	before := slices.DeleteFunc(slices.Clone(h.opened), func(o answered) bool { return o.epoch >= h.epoch })
	o, ok := pick(h.draws, before)
	if ok {
		op := o.op
		op.Rights |= api.RightWrite | api.RightChangeACL
		h.opened = slices.DeleteFunc(h.opened, func(x answered) bool { return x == o && h.draws.Chance(1, 2) })
		h.raw(widening, api.Request{Session: h.session, Seq: o.seq, AckedThrough: h.seen, Epoch: h.epoch, Op: op}, anything)
	}
	return ok
}

// askAgain sends one of its own calls of an earlier epoch to the present master, as an honest
// client does with calls that have no answer, but without presenting its tokens. It reports whether
// there was one.
func askAgain(h *hostile) bool {
	var before []api.Request
	for id := h.id; id > firstTrick && id+mostHeard > h.id; id-- {
		t := h.sent[id]
		q, own := t.q, t.name != widening && t.name != doubling && t.name != "a wrong epoch" && t.name != "a wrong number"
		if own && q.Session == h.session && q.Seq > h.seen && q.Epoch != 0 && q.Epoch < h.epoch {
			before = append(before, q)
		}
	}
	q, ok := pick(h.draws, before)
	if ok {
		q.Epoch, q.AckedThrough = h.epoch, h.seen
		h.raw("a call of before", q, anything)
	}
	return ok
}

// garble sends an overheard request that is cut or altered, or random bytes.
func garble(h *hostile) {
	b, ok := pick(h.draws, h.of.heard.wires)
	b = append([]byte(nil), b...)
	switch n := h.draws.Int(3); {
	case !ok || n == 0:
		b = randomBytes(h, h.draws.Int(100))
	case n == 1:
		b = b[:h.draws.Int(len(b))]
	default:
		b[h.draws.Int(len(b))] ^= byte(1 + h.draws.Int(255))
	}
	if q, err := api.DecodeRequest(b); err == nil && (q.Session == h.session || h.of.facts.OpenedBy(q.Session) == h.of.Name()) {
		return // its own calls keep their numbers, and change no row of the workload
	}
	h.of.Tricks["malformed bytes, sent"]++
	h.wire(b)
}

// poll opens and closes handles as fast as it can.
func poll(h *hostile) {
	for range 1 + h.draws.Int(5) {
		h.send("open", api.Open{Path: strings.TrimPrefix(workload.HotNode, "/"), Rights: api.RightRead}, anything)
		if t, ok := pick(h.draws, h.own); ok {
			h.send("close", api.CloseHandle{Handle: t}, only(api.OK, api.BadHandle))
		}
	}
}
