package linearizability

// move is what an operation does to a state.
type move uint8

const (
	refused move = iota // it cannot give this output, or take effect
	kept                // the state is the same; something open may be known now
	changed
)

// stepper says what in does to s. out is nil where nobody saw it.
type stepper[S, I, O any] func(s S, in *I, out *O) (S, move)

// fill makes Step and Effect of a model.
func (step stepper[S, I, O]) fill(m *Model[S, I, O]) {
	m.step = step
	m.Step = func(s S, in I, out O) (bool, S) {
		next, did := step(s, &in, &out)
		return did != refused, next
	}
	m.Effect = func(s S, in I) (bool, S) {
		next, did := step(s, &in, nil)
		return did != refused, next
	}
}

// stateReplayer replays immutable states, one for each key. It differs from
// plainReplayer in that what a state has learnt is no change: an operation
// without a position may be the first that tells a number.
type stateReplayer[K comparable, S, I, O any] struct {
	step   stepper[S, I, O]
	key    func(in *I) K
	init   S
	states map[K]S
}

func newStateReplayer[K comparable, S, I, O any](step stepper[S, I, O], init S, key func(in *I) K) *stateReplayer[K, S, I, O] {
	return &stateReplayer[K, S, I, O]{step: step, key: key, init: init, states: make(map[K]S)}
}

func (r *stateReplayer[K, S, I, O]) Step(in *I, out *O) bool { return r.move(in, out, false) }

func (r *stateReplayer[K, S, I, O]) Effect(in *I) bool { return r.move(in, nil, false) }

func (r *stateReplayer[K, S, I, O]) Peek(in *I, out *O) bool { return r.move(in, out, true) }

func (r *stateReplayer[K, S, I, O]) move(in *I, out *O, keep bool) bool {
	key := r.key(in)
	s, ok := r.states[key]
	if !ok {
		s = r.init
	}
	next, did := r.step(s, in, out)
	if did == refused || keep && did != kept {
		return false
	}
	r.states[key] = next
	return true
}
