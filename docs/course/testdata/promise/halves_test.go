//go:build course

package promise

import (
	"testing"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/exercise"
)

// votes casts the vote.
func votes(s *exercise.Synod, from sim.Addr, n exercise.Note) {
	s.Voted, s.Value = n.B, n.Val
	n.Kind = "accepted"
	s.Record(n.Bytes(), n.Bytes(), from)
}

// Each closes half of the hole, and its test must fail.
func TestHalf(t *testing.T) {
	t.Run("a_vote_is_no_promise", func(t *testing.T) { // in memory; the next life has it from the record
		half := func(s *exercise.Synod, from sim.Addr, n exercise.Note) {
			if n.B >= s.Promised {
				votes(s, from, n)
			}
		}
		exercise.Schedules(t, exercise.Rules{Adopt: adopt, Vote: half})
	})
	t.Run("the_promise_is_made_and_not_asked", func(t *testing.T) {
		half := func(s *exercise.Synod, from sim.Addr, n exercise.Note) {
			if n.B >= s.Voted {
				s.Promised = max(s.Promised, n.B)
				votes(s, from, n)
			}
		}
		exercise.OneValue(t, exercise.Rules{Adopt: adopt, Vote: half})
	})
}
