package nodeops_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/master/nodeops"
)

// A sweep that no longer waits for a client, while as many sweeps as allowed are proposed, waits for its turn
// and is proposed behind them.
func TestASweepThatWaitedForACacheComesBehindOthers(t *testing.T) {
	const others = 64
	s := newScriptOf(t, nodeops.DefaultConfig())
	s.do("cat open first /first rw must ephemeral; apply all; ann caches on; ann open f /first r never; ann stat f; ann close f")
	for i := range others {
		s.do(fmt.Sprintf("bob open h /%d rw must ephemeral; apply all", i))
	}
	require.Equal(t, "1 drop 1 of /first\n", s.do("cat expires; ann events"))
	require.Equal(t, others, strings.Count(s.do("bob expires"), "propose sweep"))
	require.NotContains(t, s.do("ann has 1"), "propose sweep")
	require.Contains(t, s.do("apply all"), "propose sweep /first")
}
