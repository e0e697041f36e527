//go:build course

package promise

import (
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/exercise"
)

// adopt looks at a promise: n.V is the ballot of the vote that it reports, n.Val the value of
// that; 0 and "" if no vote was cast.
func adopt(s *exercise.Synod, n exercise.Note) {
	if n.V > s.Best {
		s.Best, s.Mine = n.V, n.Val
	}
}

// vote decides on the value n.Val, which from asks a vote for at ballot n.B.
//
// The hole is here.
func vote(s *exercise.Synod, from sim.Addr, n exercise.Note) {
	if n.B >= s.Voted {
		s.Voted, s.Value = n.B, n.Val
		n.Kind = "accepted"
		s.Record(n.Bytes(), n.Bytes(), from)
	}
}
