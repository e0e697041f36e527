package linearizability

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability/model"
)

// TestThreeImplementationsOfTheKVModelAgree runs the immutable model, its replayer and the toy
// store through the same calls, with right and wrong outputs.
func TestThreeImplementationsOfTheKVModelAgree(t *testing.T) {
	for seed := range uint64(300) {
		p := splitMix(seed)
		s := kvToy{toyStore{}, shape{keys: 4, values: 3, groups: 2, lists: true}}
		m, state, fast := KV(), map[string]KVState{}, KV().Replayer()
		for range 60 {
			op := kvOperation{Input: s.draw(p), Outcome: OutcomeOK}
			in := op.Input
			before := state[KVGroup(in.Key)]
			changes := s.wouldChange(in)
			want := s.do(in)
			require.Equal(t, m.DescribeOutput(in, want), m.DescribeOutput(in, m.Result(before, in)))
			op.Output = want
			mutateOutput(p, &op)
			same := m.DescribeOutput(in, op.Output) == m.DescribeOutput(in, want)
			wrong, _ := m.Step(before, in, op.Output)
			require.Equal(t, same, wrong, "%v %v %v", in, want, op.Output)
			require.Equal(t, same && !changes, fast.Peek(&in, &op.Output))

			ok, next := m.Step(before, in, want)
			require.True(t, ok)
			_, effect := m.Effect(before, in)
			require.True(t, m.Equal(next, effect))
			require.Equal(t, m.Hash(next), m.Hash(effect))
			require.Equal(t, changes, !m.Equal(before, next))
			require.True(t, fast.Step(&in, &want))
			state[KVGroup(in.Key)] = next
		}
	}
}

func TestStatesAreEqualHoweverTheyCameAbout(t *testing.T) {
	m := KV()
	does := func(s KVState, all ...KVInput) KVState {
		for _, in := range all {
			_, s = m.Effect(s, in)
		}
		return s
	}
	a := does(m.Init(), Put("x", "1"), Put("y", "2"), Put("x", "3"))
	b := does(m.Init(), Put("y", "2"), Put("z", "9"), Put("x", "3"), Delete("z"))
	require.True(t, m.Equal(a, b))
	require.Equal(t, m.Hash(a), m.Hash(b))
	require.False(t, m.Equal(a, does(b, Put("x", "1"))))
	require.Equal(t, `{x="3" y="2"}`, b.String())
	require.True(t, m.Equal(m.Init(), does(b, Delete("x"), Delete("y"))))
}

func TestTheRegisterModel(t *testing.T) {
	other := CompareAndSet("r2", "1", "2")
	h := historyOf(t, []kvOperation{
		done(1, 1, 2, Write("1"), nothing),
		done(1, 3, 4, CompareAndSet("", "1", "2"), success),
		done(1, 5, 6, Read(), value("2")),
		done(1, 7, 8, other, nothing),
	})
	r, err := Check(Register(), h, Budget{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict)
	require.Len(t, r.Partitions, 2)

	h = historyOf(t, []kvOperation{done(1, 1, 2, Write("1"), nothing), done(2, 3, 4, Read(), nothing)})
	e, err := Explain(Register(), h, Budget{})
	require.NoError(t, err)
	require.Equal(t, `Not linearizable: register, 2 operations.
The first 1 completions have a legal order, the first 2 have none. The last of them:
  #2 client 2: read -> no value [called 3, returned 4]
cannot have had this result. Possible there: "1".
It contradicts:
  #1 client 1: write "1" -> ok [called 1, returned 2]: returned before it was called
`, e.Text)
}

// counter is a model with only the functions that Deterministic sets.
func counter() *Model[int, string, int] {
	m := Deterministic(func() int { return 0 }, func(s int, in string) (int, int) {
		if in == "add" {
			return s + 1, s + 1
		}
		return s, s
	}, nil)
	m.Name = "counter"
	return &m
}

func TestAModelNeedsNoMoreThanAFunction(t *testing.T) {
	rec := NewRecorder[string, int](4)
	a := rec.Call(1, 0, "add")
	b := rec.Call(2, 0, "add")
	rec.OK(b, 0, 2)
	rec.OK(a, 0, 1)
	c := rec.Call(1, 0, "read")
	rec.OK(c, 0, 2)
	d := rec.Call(1, 0, "add")
	rec.Unknown(d, 0)
	e := rec.Call(1, 0, "read")
	rec.OK(e, 0, 2)
	f := rec.Call(1, 0, "read")
	rec.OK(f, 0, 3)
	for i, op := range []int{a, b, d} {
		rec.At(op, Position{Slot: int64(i + 1)})
	}
	h := rec.History()
	r, err := CheckHistory(counter(), h, Options{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict, r.Text())
	require.Equal(t, Legal, r.Witness.Verdict)
	require.Equal(t, Legal, r.Search)

	h.Operations()[f].Output = 9
	r, err = CheckHistory(counter(), h, Options{})
	require.NoError(t, err)
	require.Equal(t, Illegal, r.Verdict)
	require.Equal(t, []string{"2", "3"}, r.Explanation.Possible)
	require.Contains(t, r.Text(), "#5 client 1: read -> 9")
}

func TestAnEffectThatCannotBeIsNone(t *testing.T) {
	m := Model[bool, string, bool]{ // a lock whose acquire waits
		Init: func() bool { return false },
		Step: func(held bool, in string, _ bool) (bool, bool) {
			return held == (in == "release"), in == "acquire"
		},
	}
	m.Effect = func(held bool, in string) (bool, bool) { return m.Step(held, in, false) }
	rec := NewRecorder[string, bool](2)
	a := rec.Call(1, 0, "acquire")
	b := rec.Call(2, 0, "acquire")
	rec.OK(a, 0, true)
	rec.Unknown(b, 0)
	h := rec.History()
	r, err := Check(&m, h, Budget{})
	require.NoError(t, err)
	require.Equal(t, Legal, r.Verdict, "the second acquire waits for ever")
	e, err := Explain(&m, h, Budget{})
	require.NoError(t, err)
	require.Nil(t, e)
}

func TestVerdictsHaveWords(t *testing.T) {
	for _, v := range []Verdict{Undecided, Legal, Illegal} {
		text, err := v.MarshalText()
		require.NoError(t, err)
		var back Verdict
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, v, back)
	}
	require.Error(t, new(Verdict).UnmarshalText([]byte("maybe")))
	require.Equal(t, "no outcome", fmt.Sprint(Outcome(0)))
	require.Equal(t, "no violation", fmt.Sprint(ViolationKind(0)))
}

// A model without Step or Effect is refused, and the error names them. Reports of a model without a name say so.
func TestAModelThatIsNotCompleteIsRefused(t *testing.T) {
	h, err := NewHistory([]Operation[int, int]{{Client: 1, Call: 1, Return: 2, Outcome: OutcomeOK, Input: 1, Output: 3}})
	require.NoError(t, err)
	m := Model[int, int, int]{Name: "sum", Init: func() int { return 0 }}
	_, err = CheckHistory(&m, h, Options{})
	require.ErrorIs(t, err, model.ErrIncomplete)
	require.EqualError(t, err, "linearizability: model sum: the model is not complete: it has no Step, no Effect")
	_, err = Check(&m, h, Budget{})
	require.ErrorIs(t, err, model.ErrIncomplete)

	m = Deterministic(func() int { return 0 }, func(s, in int) (int, int) { return s + in, s + in }, nil)
	r, err := CheckHistory(&m, h, Options{})
	require.NoError(t, err)
	require.Contains(t, r.Text(), "illegal: model without a name, 1 operations")
	require.Contains(t, r.Explanation.Text, "Not linearizable: model without a name, 1 operations.")
}
