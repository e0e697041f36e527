package model

// transition is what an operation does to a state.
type transition uint8

const (
	notPossible transition = iota // the operation cannot give this output, or cannot take effect
	stateKept                     // the state is the same, but an unknown number may have become known
	stateChanged
)

// stepper computes the effect of in on s. out is nil if the output is unknown.
type stepper[S, I, O any] func(s S, in *I, out *O) (S, transition)

// setModel sets the Step and the Effect of a model.
func (step stepper[S, I, O]) setModel(m *Model[S, I, O]) {
	m.step = step
	m.Step = func(s S, in I, out O) (bool, S) {
		next, did := step(s, &in, &out)
		return did != notPossible, next
	}
	m.Effect = func(s S, in I) (bool, S) {
		next, did := step(s, &in, nil)
		return did != notPossible, next
	}
}

// stateReplayer replays immutable states, one for each key. Unlike in plainReplayer, a number that becomes known is no
// change of the state for Peek: an operation without a position may be the first to report a number.
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
	if did == notPossible || keep && did != stateKept {
		return false
	}
	r.states[key] = next
	return true
}
