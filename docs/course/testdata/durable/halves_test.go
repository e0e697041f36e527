//go:build course

package durable

import (
	"testing"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/exercise"
)

// Each closes half of the hole, and its test must fail.
func TestHalf(t *testing.T) {
	t.Run("the_promise_waits_and_the_vote_does_not", func(t *testing.T) {
		half := func(s *exercise.Synod, from sim.Addr, n exercise.Note) {
			if n.B >= s.Promised {
				s.Promised, s.Voted, s.Value = n.B, n.B, n.Val
				s.Record(exercise.Note{Kind: "promise", B: n.B}.Bytes(), exercise.Note{Kind: "noted"}.Bytes(), s.Self())
				n.Kind = "accepted"
				s.Record(n.Bytes(), exercise.Note{Kind: "noted"}.Bytes(), s.Self())
				s.Send(n.Bytes(), from)
			}
		}
		exercise.OneValue(t, exercise.Rules{Adopt: adopt, Vote: half})
	})
	t.Run("no_vote_is_recorded", func(t *testing.T) {
		half := func(s *exercise.Synod, from sim.Addr, n exercise.Note) {
			if n.B >= s.Promised {
				s.Promised, s.Voted, s.Value = n.B, n.B, n.Val
				promise := exercise.Note{Kind: "promise", B: n.B}
				n.Kind = "accepted"
				s.Record(promise.Bytes(), n.Bytes(), from)
			}
		}
		exercise.OneValue(t, exercise.Rules{Adopt: adopt, Vote: half})
	})
}
