package peer

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// identified gives a Config the identity in n, which may change.
func identified(c *Config, n *atomic.Uint64) {
	c.Identity = func() Identity { return Identity(n.Load()) }
}

// Replicas of two cells with one name refuse one another, and both say which cells these are.
func TestAPeerOfAnotherCellOfThisNameIsRefusedAloudAtBothEnds(t *testing.T) {
	var mine, other atomic.Uint64
	mine.Store(0xaaaa)
	other.Store(0xbbbb)
	a, b := two(t, func(a, b *Config) {
		identified(a, &mine)
		identified(b, &other)
	})
	for _, e := range []*end{a, b} {
		e.log.says(t, "level=ERROR", "connection refused", "cell-000000000000aaaa", "cell-000000000000bbbb", "founded twice, or restored at some")
		e.log.says(t, "level=ERROR", "peer refused", "cell-000000000000aaaa", "cell-000000000000bbbb")
	}
	a.Send(2, []byte("x"))
	b.Send(1, []byte("x"))
	require.False(t, a.Status()[0].Connected || b.Status()[0].Connected)
	require.Empty(t, a.got)
	require.Empty(t, b.got)
}

// A replica without rows talks to every cell of its name. As soon as it has an identity, it sends nothing before it has
// said it, and takes nothing from a replica that said another one.
func TestAReplicaThatGetsAnIdentity(t *testing.T) {
	for name, c := range map[string]struct {
		gets uint64
		same bool
	}{
		"the cell's":    {0xaaaa, true},
		"another one's": {0xbbbb, false},
	} {
		t.Run(name, func(t *testing.T) {
			var mine, other atomic.Uint64
			mine.Store(0xaaaa)
			a, b := two(t, func(a, b *Config) {
				identified(a, &mine)
				identified(b, &other)
			})
			a.connected(t)
			b.connected(t)
			a.Send(2, []byte("from a"))
			require.Equal(t, "1: from a", b.next(t))
			b.Send(1, []byte("from b"))
			require.Equal(t, "2: from b", a.next(t))

			other.Store(c.gets)
			if c.same {
				a.Send(2, []byte("again from a"))
				require.Equal(t, "1: again from a", b.next(t))
				b.Send(1, []byte("again from b"))
				require.Equal(t, "2: again from b", a.next(t))
				require.NotContains(t, a.log.String(), "level=ERROR")
				require.NotContains(t, b.log.String(), "level=ERROR")
				return
			}
			b.Send(1, []byte("x")) // the connection is made again for it
			b.log.says(t, "level=ERROR", "peer refused", "cell-000000000000bbbb")
			a.log.says(t, "level=ERROR", "connection refused", "cell-000000000000bbbb")
			a.Send(2, []byte("x")) // by the connection that was made before
			b.log.says(t, "level=ERROR", "connection refused", "cell-000000000000aaaa")
			a.log.says(t, "level=ERROR", "peer refused", "cell-000000000000aaaa")
			require.Empty(t, a.got)
			require.Empty(t, b.got)
		})
	}
}
