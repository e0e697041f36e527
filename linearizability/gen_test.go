package linearizability

// pick draws from [0, n).
type pick func(n int) int

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

// toy is an independent implementation of a model: a mistake in one of the two would show. It is a correct system with
// a mutable state.
type toy[I, O any] interface {
	draw(p pick) I
	ready(in I) bool       // in can take effect now
	wouldChange(in I) bool // in would change the state now
	do(in I) O
}

// simulation runs a toy under random interleavings: operations take effect at one instant between call and return,
// replies are lost, clients give up before or after the effect, effects come late or never. The recorded positions are
// those of the effects. Some operations that changed nothing have no position, like local reads.
type simulation[I, O any] struct {
	pick       pick
	clients    int
	operations int
	toy        toy[I, O]
	tells      bool // the witness has the results that clients do not receive
	rec        *Recorder[I, O]
	slot       Position
	open       []openOp[I, O] // operations that have not ended, or that were given up and have had no effect so far
	idle       []int64
	calls      int
}

type openOp[I, O any] struct {
	i       int
	client  int64
	in      I
	out     O
	done    bool // took effect
	givenUp bool
}

func (s *simulation[I, O]) run() *History[I, O] {
	s.rec = NewRecorder[I, O](s.operations)
	for c := range s.clients {
		s.idle = append(s.idle, int64(c))
	}
	for tries := 0; tries < 50*s.operations && (s.calls < s.operations || s.pick(4) > 0 && len(s.open) > 0); tries++ {
		if len(s.idle) > 0 && s.calls < s.operations && (len(s.open) == 0 || s.pick(3) == 0) {
			s.call()
		} else if len(s.open) > 0 {
			s.move(s.pick(len(s.open)))
		}
	}
	return s.rec.History()
}

func (s *simulation[I, O]) call() {
	k := s.pick(len(s.idle))
	client := s.idle[k]
	s.idle = append(s.idle[:k], s.idle[k+1:]...)
	in := s.toy.draw(s.pick)
	i := s.rec.Call(client, int64(s.calls+1)*1000, in)
	s.open = append(s.open, openOp[I, O]{i: i, client: client, in: in})
	s.calls++
}

// move makes one open operation take effect, or end.
func (s *simulation[I, O]) move(k int) {
	op := &s.open[k]
	ns := int64(s.calls+1) * 1000
	switch n := s.pick(10); {
	case !op.done && n < 6 && s.toy.ready(op.in):
		s.effect(op)
		if op.givenUp {
			s.close(k)
		}
	case op.givenUp:
		if n == 9 { // the operation never takes effect
			s.close(k)
		}
	case op.done && n < 9:
		s.rec.OK(op.i, ns, op.out)
		s.free(op)
		s.close(k)
	case op.done || n == 7 || n < 3 && !s.toy.ready(op.in):
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

func (s *simulation[I, O]) effect(op *openOp[I, O]) {
	changes := s.toy.wouldChange(op.in)
	op.out, op.done = s.toy.do(op.in), true
	if !changes && s.pick(2) == 0 {
		return // answered without the log, so without a position
	}
	if s.slot.Slot == 0 || s.pick(2) == 0 {
		s.slot = Position{Slot: s.slot.Slot + 1 + int64(s.pick(3))}
	} else {
		s.slot.Index++
	}
	s.rec.At(op.i, s.slot)
	if s.tells {
		s.rec.WitnessOutput(op.i, op.out)
	}
}

func (s *simulation[I, O]) free(op *openOp[I, O]) { s.idle = append(s.idle, op.client) }

func (s *simulation[I, O]) close(k int) { s.open = append(s.open[:k], s.open[k+1:]...) }

// mutate makes two to five small changes that may or may not break a history;
// change makes one that is specific to the model.
func mutate[I, O any](p pick, h *History[I, O], change func(p pick, op *Operation[I, O])) *History[I, O] {
	ops := append([]Operation[I, O](nil), h.Operations()...)
	for n := 2 + p(4); n > 0; n-- {
		mutateOnce(p, ops, change)
	}
	out, err := NewHistory(ops)
	if err != nil {
		return h // the changes made a malformed history: return it unchanged
	}
	return out
}

func mutateOnce[I, O any](p pick, ops []Operation[I, O], change func(p pick, op *Operation[I, O])) {
	op := &ops[p(len(ops))]
	switch p(6) {
	case 0, 1: // change the result or the call
		change(p, op)
	case 2: // complete an operation of unknown outcome
		if op.Outcome == OutcomeUnknown {
			op.Outcome, op.Return = OutcomeOK, int64(10_000+p(1000))
			op.Concurrent, op.WitnessOutput = true, false
		}
	case 3: // make a completed operation fail
		if op.Outcome == OutcomeOK {
			op.Outcome, op.At = OutcomeFailed, Position{}
		}
	case 4: // swap two successive events
		swapStamps(ops, int64(1+p(2*len(ops))))
	case 5: // swap two positions
		if other := &ops[p(len(ops))]; !op.WitnessOutput && !other.WitnessOutput {
			op.At, other.At = other.At, op.At
		}
	}
}

// swapStamps exchanges the events at stamps t and t+1.
func swapStamps[I, O any](ops []Operation[I, O], t int64) {
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
