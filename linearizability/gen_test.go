package linearizability

import (
	"fmt"
	"sort"
	"strings"
)

// toyStore is a third telling of the key/value model, written apart from the
// two in the package so that a shared mistake would show.
type toyStore map[string]string

func (s toyStore) do(in KVInput) KVOutput {
	value, found := s[in.Key]
	switch in.Op {
	case OpGet:
		return KVOutput{Found: found, Value: value}
	case OpPut:
		s[in.Key] = in.Value
		return KVOutput{}
	case OpDelete:
		delete(s, in.Key)
		return KVOutput{Found: found}
	case OpCAS:
		if in.Absent && found || !in.Absent && (!found || value != in.Expect) {
			return KVOutput{Found: found, Value: value}
		}
		s[in.Key] = in.Value
		return KVOutput{OK: true}
	}
	var out KVOutput
	for k, v := range s {
		if strings.HasPrefix(k, in.Key) {
			out.Pairs = append(out.Pairs, KVPair{k, v})
		}
	}
	sort.Slice(out.Pairs, func(i, j int) bool { return out.Pairs[i].Key < out.Pairs[j].Key })
	return out
}

// wouldChange reports whether in changes the store now.
func (s toyStore) wouldChange(in KVInput) bool {
	t := toyStore{}
	for k, v := range s {
		t[k] = v
	}
	t.do(in)
	return fmt.Sprint(map[string]string(s)) != fmt.Sprint(map[string]string(t))
}

// pick draws from [0, n).
type pick func(n int) int

// shape bounds a generated history.
type shape struct {
	clients, operations, keys, values int
	groups                            int
	lists                             bool
}

// simulate runs a linearizable store under random interleavings: operations
// take effect at one instant between call and return, replies are lost, clients
// give up before or after the effect, effects come late or never. The recorded
// positions are where the effects took place; some that changed nothing have
// none, as local reads would.
type simulation struct {
	pick  pick
	shape shape
	store toyStore
	rec   *Recorder[KVInput, KVOutput]
	slot  Position
	open  []openOp // not yet ended, or ended unknown and not yet effective
	idle  []int64
	calls int
}

type openOp struct {
	i       int
	client  int64
	in      KVInput
	out     KVOutput
	done    bool // took effect
	givenUp bool
}

func simulate(p pick, sh shape) *History[KVInput, KVOutput] {
	s := &simulation{pick: p, shape: sh, store: toyStore{}, rec: NewRecorder[KVInput, KVOutput](sh.operations)}
	for c := range sh.clients {
		s.idle = append(s.idle, int64(c))
	}
	for s.calls < sh.operations || s.pick(4) > 0 && len(s.open) > 0 {
		if len(s.idle) > 0 && s.calls < sh.operations && (len(s.open) == 0 || s.pick(3) == 0) {
			s.call()
		} else if len(s.open) > 0 {
			s.move(s.pick(len(s.open)))
		}
	}
	return s.rec.History()
}

func (s *simulation) call() {
	k := s.pick(len(s.idle))
	client := s.idle[k]
	s.idle = append(s.idle[:k], s.idle[k+1:]...)
	in := s.input()
	i := s.rec.Call(client, int64(s.calls+1)*1000, in)
	s.open = append(s.open, openOp{i: i, client: client, in: in})
	s.calls++
}

func (s *simulation) input() KVInput {
	key := fmt.Sprintf("g%d/k%d", s.pick(s.shape.groups), s.pick(s.shape.keys))
	value := func() string { return fmt.Sprint(s.pick(s.shape.values)) }
	n := 8
	if s.shape.lists {
		n = 9
	}
	switch s.pick(n) {
	case 0, 1, 2:
		return Get(key)
	case 3, 4:
		return Put(key, value())
	case 5:
		return Delete(key)
	case 6:
		return CompareAndSet(key, value(), value())
	case 7:
		return PutIfAbsent(key, value())
	}
	return List(KVGroup(key) + "/")
}

// move lets one open operation take effect, or end.
func (s *simulation) move(k int) {
	op := &s.open[k]
	ns := int64(s.calls+1) * 1000
	switch n := s.pick(10); {
	case !op.done && n < 6:
		s.effect(op)
		if op.givenUp {
			s.close(k)
		}
	case op.givenUp:
		if n == 9 { // never effective
			s.close(k)
		}
	case op.done && n < 9:
		s.rec.OK(op.i, ns, op.out)
		s.free(op)
		s.close(k)
	case op.done || n == 7:
		s.rec.Unknown(op.i, ns)
		s.free(op)
		op.givenUp = true
		if op.done {
			s.close(k)
		}
	case n == 6:
		s.rec.Failed(op.i, ns)
		s.free(op)
		s.close(k)
	}
}

func (s *simulation) effect(op *openOp) {
	changes := s.store.wouldChange(op.in)
	op.out, op.done = s.store.do(op.in), true
	if !changes && s.pick(2) == 0 {
		return // served without the log
	}
	if s.slot.Slot == 0 || s.pick(2) == 0 {
		s.slot = Position{Slot: s.slot.Slot + 1 + int64(s.pick(3))}
	} else {
		s.slot.Index++
	}
	s.rec.At(op.i, s.slot)
}

func (s *simulation) free(op *openOp) { s.idle = append(s.idle, op.client) }

func (s *simulation) close(k int) { s.open = append(s.open[:k], s.open[k+1:]...) }

// mutate makes two to five small changes that may or may not break a history.
func mutate(p pick, h *History[KVInput, KVOutput]) *History[KVInput, KVOutput] {
	ops := append([]Operation[KVInput, KVOutput](nil), h.Operations()...)
	for n := 2 + p(4); n > 0; n-- {
		mutateOnce(p, ops)
	}
	out, err := NewHistory(ops)
	if err != nil {
		return h // the change made an impossible history; leave it
	}
	return out
}

func mutateOnce(p pick, ops []Operation[KVInput, KVOutput]) {
	op := &ops[p(len(ops))]
	switch p(6) {
	case 0: // another result
		mutateOutput(p, op)
	case 1: // a result for an operation that had none
		if op.Outcome == OutcomeUnknown {
			op.Outcome, op.Return = OutcomeOK, int64(10_000+p(1000))
			op.Concurrent = true
		}
	case 2: // an effect that was not
		if op.Outcome == OutcomeOK {
			op.Outcome, op.At = OutcomeFailed, Position{}
		}
	case 3: // swap two events next to each other
		swapStamps(ops, int64(1+p(2*len(ops))))
	case 4: // swap two places in the proposed order
		other := &ops[p(len(ops))]
		op.At, other.At = other.At, op.At
	case 5: // another value is written
		op.Input.Value = fmt.Sprint(p(4))
	}
}

func mutateOutput(p pick, op *Operation[KVInput, KVOutput]) {
	if op.Outcome != OutcomeOK {
		return
	}
	switch out := &op.Output; {
	case op.Input.Op == OpList && len(out.Pairs) > 0 && p(2) == 0:
		out.Pairs = out.Pairs[1:]
	case op.Input.Op == OpList:
		out.Pairs = append([]KVPair{{op.Input.Key + "k0", fmt.Sprint(p(4))}}, out.Pairs...)
	case op.Input.Op == OpCAS && p(2) == 0:
		out.OK = !out.OK
	case p(2) == 0:
		out.Found = !out.Found
	default:
		out.Value = fmt.Sprint(p(4))
	}
}

// swapStamps exchanges the events at stamps t and t+1.
func swapStamps(ops []Operation[KVInput, KVOutput], t int64) {
	for i := range ops {
		for _, stamp := range []*int64{&ops[i].Call, &ops[i].Return} {
			switch *stamp {
			case t:
				*stamp = t + 1
			case t + 1:
				*stamp = t
			}
		}
	}
}

// splitMix is a seeded pick.
func splitMix(seed uint64) pick {
	return func(n int) int {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return int((z ^ z>>31) >> 33 % uint64(n))
	}
}
