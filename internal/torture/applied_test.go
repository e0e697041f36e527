package torture

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
)

// told is what replicas wrote down, and what is found wrong with it.
func told(t *testing.T, replicas ...string) (o *order, broken string) {
	o = newOrder()
	for i, text := range replicas {
		name := filepath.Join(t.TempDir(), "applied")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		from, err := openApplied(i+1, name)
		require.NoError(t, err)
		defer from.f.Close()
		found, err := o.read(from)
		require.NoError(t, err)
		if broken == "" {
			broken = found
		}
	}
	if broken == "" {
		broken = o.stale()
	}
	return o, broken
}

func TestWhatReplicasApplyIsOneOrder(t *testing.T) {
	o, broken := told(t, "\nA 1 aa\nE 1 100\nA 2 bb 7 1 1 7 2 4\nR 1 150\n\nA 2 bb 7 1 1 7 2 4\nA 3 cc", "\nA 3 cc 8 1 1\n")
	require.Empty(t, broken)
	require.Zero(t, o.holes())
	require.Equal(t, effect{at: o.calls[call{7, 2}].at, code: 4}, o.calls[call{7, 2}])
	require.EqualValues(t, 2, o.calls[call{7, 2}].at.Slot)
	require.EqualValues(t, 1, o.calls[call{7, 2}].at.Index)
	require.True(t, effect{code: api.OK}.isDone())
	require.EqualValues(t, 3, o.top)

	o, _ = told(t, "A 1 aa\nA 5 bb\n")
	require.Equal(t, 3, o.holes())
}

func TestReplicasThatDisagreeAreFound(t *testing.T) {
	for want, replicas := range map[string][]string{
		"slot 2 was applied in two ways: replica 1 recorded the sum bb of its rows, and replica 2 the sum bb":  {"A 2 bb 7 1 1\n", "A 2 bb 7 2 1\n"},
		"the sum bb of its rows, and replica 2 the sum cc":                                                     {"A 2 bb\n", "A 2 cc\n"},
		"the sum bb of its rows, and replica 1 the sum cc":                                                     {"A 2 bb\n\nA 2 cc\n"},
		"call 1 of session 7 was executed twice, in slot 2":                                                    {"A 2 bb 7 1 1\nA 3 cc 7 1 1\n"},
		"replica 1, the master of epoch 4, answered a read without the log by a clock reading from 30ns after": {"E 4 100\nR 4 150\nR 4 230\n", "E 4 101\nE 5 200\n"},
		"replica 2, the master of epoch 4":                                                                     {"E 6 100\n", "R 4 101\n"},
	} {
		_, broken := told(t, replicas...)
		require.Contains(t, broken, want)
	}
	_, broken := told(t, "E 4 100\nR 4 199\n", "E 5 200\nR 5 300\n")
	require.Empty(t, broken)
}

func TestWhatIsNoNoteIsRefused(t *testing.T) {
	for _, line := range []string{"A x y", "E 4", "R 4 x", "A 1 aa 7 x 1"} {
		_, err := newOrder().add(1, line)
		require.Error(t, err, line)
	}
}
