package browsertest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A test that needs a browser does not pass on a machine that has none: it is skipped, in words.
func TestWithoutABrowserTheTestIsSkipped(t *testing.T) {
	t.Setenv("PATH", "")
	var inner testing.TB
	t.Run("inner", func(t *testing.T) {
		inner = t
		Find(t)
		t.Error("it goes on")
	})
	require.True(t, inner.Skipped())
}
