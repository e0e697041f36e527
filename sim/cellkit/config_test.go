package cellkit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cellkit"
	"github.com/chubbycell/chubby/sim/model"
)

func TestCellsThatCannotBeAreRefused(t *testing.T) {
	for _, c := range []struct {
		want string
		cfg  cellkit.Config
	}{
		{`cellkit: the world has a cell "west" already: give each a Config.Name of its own`, cellkit.Config{Name: "west"}},
		{`cellkit: cell name "local": use small letters, digits and hyphens, and not "local"`, cellkit.Config{Name: "local"}},
		{`cellkit: cell name "A b": use small letters, digits and hyphens, and not "local"`, cellkit.Config{Name: "A b"}},
		{`cellkit: cell "many" with 8 replicas: a cell has 1 to 7`, cellkit.Config{Name: "many", Replicas: 8}},
		{`cellkit: cell "few" with -1 replicas: a cell has 1 to 7`, cellkit.Config{Name: "few", Replicas: -1}},
	} {
		w := sim.New(sim.Config{})
		cellkit.Add(w, cellkit.Config{Name: "west"})
		require.PanicsWithValue(t, c.want, func() { cellkit.Add(w, c.cfg) })
		w.Close()
	}
}

func TestTuneThatCannotBeIsRefused(t *testing.T) {
	for want, tune := range map[string]func(c *driver.Config){
		`cellkit: Tune of cell "west": driver config: PieceBytes is 0; at least 1`:                                                func(c *driver.Config) { c.PieceBytes = 0 },
		`cellkit: Tune of cell "west" sets BackupEvery to 1m0s: these replicas have no place for backups; leave it 0`:             func(c *driver.Config) { c.BackupEvery = time.Minute },
		`cellkit: Tune of cell "west" sets Core.Observer, by which the checkers observe replicas: leave it nil, or set Unchecked`: func(c *driver.Config) { c.Core.Observer = &model.Observed{} },
	} {
		w := sim.New(sim.Config{})
		require.PanicsWithValue(t, want, func() { cellkit.Add(w, cellkit.Config{Name: "west", Tune: tune}) })
		w.Close()
	}
}

func TestClientsOfNoCellAreRefused(t *testing.T) {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	west, nameless := cellkit.Add(w, cellkit.Config{Name: "west"}), cellkit.Add(w, cellkit.Config{})
	ended := false
	w.Add(sim.MachineConfig{Addr: sim.FirstClient, Process: sim.Program(func(rt *sim.Runtime) {
		require.PanicsWithValue(t, "cellkit: NewClient without a cell: give it one that Add returned",
			func() { cellkit.NewClient(rt, client.Config{}) })
		require.PanicsWithValue(t, "cellkit: NewClient of 2 cells, and number 2 has no name: set its Config.Name",
			func() { cellkit.NewClient(rt, client.Config{}, west, nameless) })
		ended = true
	})}).Start()
	w.RunFor(time.Second)
	require.True(t, ended)
}

func TestMessagesAreDescribed(t *testing.T) {
	require.Equal(t, "read by n4", cellkit.Describe(sim.FirstClient, 4, []byte("read by n4")))
	require.Contains(t, cellkit.Describe(sim.FirstClient, 4, []byte{0, 1, 2}), "3 bytes that are not a message")
}

// An unchecked cell judges nothing, and its replicas may have an observer of the test's own.
func TestAnUncheckedCellMayHaveAnObserver(t *testing.T) {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	own := &model.Observed{}
	c := cellkit.Add(w, cellkit.Config{Unchecked: true, Tune: func(c *driver.Config) { c.Core.Observer = own }})
	w.RunFor(5 * time.Second)
	c.Judge()
	require.NotEmpty(t, own.Applied)
	require.Nil(t, w.Failure())
}
