package locks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// A delay that no command ends is overdue once the master has been awake for long enough, and its description says since when
// the master has known of it, and that there were others.
func TestADelayThatIsNotEndedIsDescribed(t *testing.T) {
	begun := time.Unix(1000, 0)
	one := model.DelayID{Lock: api.Ref{Instance: 7}, Freed: 300}
	ds := Delays{}
	ds.Begin(one, 2*time.Second, begun)
	require.Equal(t, "it lasts 2s, and the master has known of it for 1s", ds.Describe(one, begun.Add(time.Second)))
	ds.Begin(model.DelayID{Lock: api.Ref{Instance: 8}, Freed: 301}, time.Minute, begun)
	ds.Begin(model.DelayID{Lock: api.Ref{Instance: 7}, Freed: 302}, time.Minute, begun)

	_, by := ds.Overdue(begun.Add(3*time.Second), 0)
	require.Zero(t, by, "it acts late for the first time")
	of, by := ds.Overdue(begun.Add(4*time.Second), 0)
	require.Equal(t, one, of)
	require.Equal(t, 2*time.Second, by)
	require.Equal(t, "it lasts 2s, and the master has known of it for 4s, and of 1 other lock-delays there", ds.Describe(one, begun.Add(4*time.Second)))
}
