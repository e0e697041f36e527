//go:build course

package value

import (
	"testing"

	"github.com/chubbycell/chubby/sim/exercise"
)

// Each closes half of the hole, and its test must fail.
func TestHalf(t *testing.T) {
	t.Run("the_first_vote_that_is_reported", func(t *testing.T) {
		half := func(s *exercise.Synod, n exercise.Note) {
			if n.V > 0 && s.Best == 0 {
				s.Best, s.Mine = n.V, n.Val
			}
		}
		exercise.Schedules(t, exercise.Rules{Adopt: half, Vote: vote})
	})
	t.Run("the_vote_at_the_lowest_ballot", func(t *testing.T) {
		half := func(s *exercise.Synod, n exercise.Note) {
			if n.V > 0 && (s.Best == 0 || n.V < s.Best) {
				s.Best, s.Mine = n.V, n.Val
			}
		}
		exercise.OneValue(t, exercise.Rules{Adopt: half, Vote: vote})
	})
	t.Run("a_higher_one_than_the_last", func(t *testing.T) { // and not than the highest
		half := func(s *exercise.Synod, n exercise.Note) {
			if n.V > s.Best {
				s.Mine = n.Val
			}
			s.Best = n.V
		}
		exercise.Schedules(t, exercise.Rules{Adopt: half, Vote: vote})
	})
}
