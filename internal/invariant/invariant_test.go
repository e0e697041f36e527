package invariant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/invariant"
)

func TestFailfPanicsWithTheNumberedViolation(t *testing.T) {
	v := invariant.Caught(func() { invariant.Failf("I-A1", "promise fell from %d to %d", 7, 3) })
	require.NotNil(t, v)
	require.Equal(t, invariant.ID("I-A1"), v.ID)
	require.EqualError(t, v, "invariant I-A1 broken: promise fell from 7 to 3")
	require.Panics(t, func() { invariant.Failf("I-A1", "") })
}

func TestOnlyViolationsAreCaught(t *testing.T) {
	require.Nil(t, invariant.Caught(func() {}))
	require.PanicsWithValue(t, "another", func() { invariant.Caught(func() { panic("another") }) })
}

func TestCheckPassesWhatHoldsAndFailsWhatDoesNot(t *testing.T) {
	require.NotPanics(t, func() { invariant.Check(true, "I-A1", "never seen") })
	require.Panics(t, func() { invariant.Check(false, "I-A1", "seen") })
}
