package invariant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/invariant"
)

func TestFailfPanicsWithTheNumberedViolation(t *testing.T) {
	defer func() {
		v, ok := recover().(*invariant.Violation)
		require.True(t, ok)
		require.Equal(t, invariant.ID("I-A1"), v.ID)
		require.EqualError(t, v, "invariant I-A1 broken: promise fell from 7 to 3")
	}()
	invariant.Failf("I-A1", "promise fell from %d to %d", 7, 3)
}

func TestCheckPassesWhatHoldsAndFailsWhatDoesNot(t *testing.T) {
	require.NotPanics(t, func() { invariant.Check(true, "I-A1", "never seen") })
	require.Panics(t, func() { invariant.Check(false, "I-A1", "seen") })
}
