package worldtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// World is an empty world for the test of one checker, which is handed made-up facts.
type World struct {
	*sim.World
	t *testing.T
}

// New is a world without machines; it is closed when the test ends.
func New(t *testing.T) World {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	return World{w, t}
}

// Path is a path that the test has written down; it panics where that is none.
func Path(s string) api.Path {
	p, err := api.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

// Good demands that nothing has broken.
func (w World) Good() {
	w.t.Helper()
	require.Nil(w.t, w.Failure())
}

// Breaks demands that the property or invariant id has broken.
func (w World) Breaks(id string) {
	w.t.Helper()
	require.NotNil(w.t, w.Failure(), "nothing broke")
	require.Equal(w.t, id, w.Failure().ID, w.Failure().Text)
}

// Diverges demands that a rule of conformance which serves id was not kept.
func (w World) Diverges(id string) {
	w.t.Helper()
	w.Breaks(id)
	require.Equal(w.t, sim.Conformance, w.Failure().Kind)
}

// Is demands that the property or invariant id has broken, or nothing where id is "".
func (w World) Is(id string) {
	w.t.Helper()
	if id == "" {
		w.Good()
	} else {
		w.Breaks(id)
	}
}
