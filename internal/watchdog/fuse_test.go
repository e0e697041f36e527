package watchdog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAFuseEndsWhatItsLockDoesNotLookAfter(t *testing.T) {
	const s = time.Second
	f := fuse{until: 20 * s, grace: 4 * s}
	require.Equal(t, nothing, f.look(17*s))
	f.extend(30 * s)
	require.Equal(t, nothing, f.look(27*s))
	require.Equal(t, terminate, f.look(28*s))
	f.extend(90 * s) // too late: the command ends
	require.Equal(t, nothing, f.look(29*s))
	require.Equal(t, kill, f.look(30*s))
	require.Equal(t, kill, f.look(31*s))

	f = fuse{until: 20 * s, grace: 4 * s}
	f.cut(5 * s)
	require.Equal(t, nothing, f.look(8*s))
	require.Equal(t, kill, f.look(9*s))

	f = fuse{until: 20 * s, grace: 4 * s}
	f.cut(19 * s)
	require.Equal(t, kill, f.look(20*s), "the grace does not last longer than the lock")

	f = fuse{until: 20 * s, grace: 4 * s}
	f.light()
	require.Equal(t, nothing, f.look(20*s), "lock kills first")
	require.Equal(t, kill, f.look(21*s))

	f = fuse{until: 20 * s, grace: 4 * s}
	require.Equal(t, kill, f.look(3600*s), "the machine was suspended")
}
