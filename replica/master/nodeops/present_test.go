package nodeops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
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

// The session may have two handles. Ann closed e, opened g and has not heard of the closing, so she presents three.
// There is no room for g now, and its node is there: her client must not be told that it was deleted. Once e is closed,
// g is recreated when it is used, and may have missed events.
func TestAWatchingHandleWithoutRoomIsNotInvalid(t *testing.T) {
	cfg := nodeops.DefaultConfig()
	cfg.Handles.PerSession = 2
	s := newScriptOf(t, cfg)
	s.do("ann open e /e rw may hears invalid; ann open f /f rw may hears invalid; apply all; ann close e; apply all")
	s.do("ann open g /g rw may hears invalid,contents; apply all; failover")
	require.Equal(t, "e: ok\nf: ok\ng: crowded\n1 read-again of /g#8\n", s.do("ann presents e; ann presents f; ann presents g; ann events"))
	s.do("ann has 1; ann flushed; serving; bob open h /g rw may; bob set h x; apply all")
	require.Equal(t, "no event\n", s.do("ann events"))
	require.Contains(t, s.do("ann close e; apply all; ann get g"), "ok")
	require.Equal(t, "2 read-again of /g#8\n", s.do("ann events"))
}

// A client presents tokens of files that are gone, again and again, and does not acknowledge the epoch. The master keeps
// no more events about them than the client may have handles open or be closing.
func TestWhatIsToldOfPresentedTokensIsBounded(t *testing.T) {
	cfg := nodeops.DefaultConfig()
	cfg.Handles.PerSession = 2
	s := newScriptOf(t, cfg)
	s.do("ann open e /e rw may hears invalid; apply; ann open f /f rw may hears invalid; apply")
	s.do("ann delete e; apply; ann delete f; apply; ann close e; ann close f; failover")
	require.Zero(t, s.ops.Status().Events)
	for range cfg.Handles.PerSession + api.MaxWindow {
		s.do("ann presents e; ann presents f")
	}
	require.Equal(t, cfg.Handles.PerSession+api.MaxWindow, s.ops.Status().Events)
	s.do("ann flushed")
	require.NoError(t, s.ops.Audit(s.at().Rows))
	require.Contains(t, s.do("ann events"), "1 invalid of /e#6\n2 invalid of /f#7\n3 invalid of /e#6\n")
}
