package nodeops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/master/nodeops"
)

// There is room for two handles in all, and for two of a session. Ann does not present hers to the first
// new master, and bob opens two. To the next master bob presents his first, and ann's handle must still be
// recreated.
func TestWhatHoldsOrKeepsIsTakenUpWithoutRoom(t *testing.T) {
	for name, c := range map[string]struct{ opens, told string }{
		"an ephemeral node": {"ann open e /e rw may ephemeral; apply all", "e: ok"},
		"a lock":            {"ann open e /e rw may; apply all; ann acquire e exclusive; apply all", "e: ok"},
		"nothing":           {"ann open e /e rw may; apply all", "e: crowded"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := nodeops.DefaultConfig()
			cfg.Handles.PerSession, cfg.Handles.Total = 2, 2
			s := newScriptOf(t, cfg)
			s.do(c.opens)
			s.do("failover; serving; bob open f /f rw may; bob open g /g rw may; apply all; failover")
			require.Equal(t, "f: ok\ng: ok\n", s.do("bob presents f; bob presents g"))
			require.Equal(t, c.told+"\n", s.do("ann presents e"))
			s.do("ann flushed; bob flushed; serving; pass 2m; apply all")
			require.Contains(t, s.do("cat open h /h rw may"), "crowded")
			require.Contains(t, s.do("ann get e"), map[bool]string{true: "ok", false: "crowded"}[c.told == "e: ok"])
		})
	}
}
