package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// knocks is a fault that notes when it strikes and what it draws.
type knocks struct {
	name string
	said *[]string
}

func (k knocks) Name() string { return k.name }

func (k knocks) Run(s *Stage) {
	for s.Next(func() time.Duration { return s.Draw().Duration(0, time.Second) }) {
		at := s.World().Now()
		n := s.Draw().Int(1000)
		if s.Draw().Chance(1, 2) {
			n += 1000 * s.Draw().Int(1000)
		}
		*k.said = append(*k.said, fmt.Sprintf("%s %v %d", k.name, at, n))
		s.Sleep(s.Draw().Duration(0, 100*time.Millisecond))
	}
}

// Recording does not change a run. A script played in full gives the same strikes. Played in part,
// each remaining strike comes at its recorded time and draws what it drew.
func TestStrikesThatAreLeftOutMoveNoOther(t *testing.T) {
	run := func(change func(s *Scenario)) (said []string, hash uint64) {
		s := Scenario{Faults: []Fault{knocks{"a", &said}, knocks{"b", &said}}, Safety: 10 * time.Second}
		change(&s)
		return said, s.Run(Config{Seed: 7}).Hash
	}
	drawn, hash := run(func(*Scenario) {})
	var strikes []Strike
	recorded, again := run(func(s *Scenario) { s.Record = &strikes })
	require.Equal(t, hash, again)
	require.Equal(t, drawn, recorded)
	require.Len(t, strikes, len(drawn))
	require.Greater(t, len(strikes), 20)

	whole, _ := run(func(s *Scenario) { s.Script = &strikes })
	require.Equal(t, drawn, whole)
	some := slices.Clone(strikes[:0])
	var want []string
	for i, k := range strikes {
		if i%3 == 1 {
			some, want = append(some, k), append(want, drawn[i])
		}
	}
	left, _ := run(func(s *Scenario) { s.Script = &some })
	require.Equal(t, want, left)
	none, _ := run(func(s *Scenario) { s.Script = new([]Strike) })
	require.Empty(t, none)
}

// rapid is a fault that lets no time pass between its strikes.
type rapid struct{}

func (rapid) Name() string { return "rapid" }
func (rapid) Run(s *Stage) {
	for s.Next(func() time.Duration { return 0 }) {
	}
}

// A fault that strikes for ever at one instant ends the run, and the report names it.
func TestAFaultWithoutAPauseIsNamed(t *testing.T) {
	f := Scenario{Faults: []Fault{rapid{}}, Safety: time.Second}.Run(Config{Seed: 1}).Failure
	require.Equal(t, "L1", f.ID)
	require.Contains(t, f.Text, `events at one instant: "fault rapid" waits again and again for no time`)
}
