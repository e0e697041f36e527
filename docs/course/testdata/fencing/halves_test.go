//go:build course

package fencing

import (
	"testing"
	"time"

	"github.com/chubbycell/chubby/sim"
)

// half is a store that refuses otherwise.
type half struct {
	store
	mark    uint64
	refuses func(s *half, w word) bool
}

func (s *half) Receive(_ time.Time, from sim.Addr, msg []byte) {
	w := read(msg)
	switch {
	case s.refuses(s, w):
		s.env.Send(from, word{Kind: "refused", Token: w.Token}.bytes())
	case w.Kind == "read":
		s.env.Send(from, word{"value", w.Token, s.counter}.bytes())
	case w.Kind == "write":
		s.counter = w.N
		s.writes++
		s.env.Send(from, word{"done", w.Token, w.N}.bytes())
	}
}

// Each closes half of the hole, and its test must fail.
func TestHalf(t *testing.T) {
	t.Run("writes_are_checked_against_writes", func(t *testing.T) {
		refuses := func(s *half, w word) bool {
			if w.Kind != "write" {
				return false
			}
			if w.Token < s.mark {
				return true
			}
			s.mark = w.Token
			return false
		}
		noUpdateIsLost(t, func() server { return &half{refuses: refuses} })
	})
	t.Run("the_mark_follows_the_last_read", func(t *testing.T) { // down, too
		refuses := func(s *half, w word) bool {
			if w.Kind == "read" {
				s.mark = w.Token
			}
			return w.Token < s.mark
		}
		noUpdateIsLost(t, func() server { return &half{refuses: refuses} })
	})
	t.Run("reads_are_refused_and_raise_nothing", func(t *testing.T) {
		refuses := func(s *half, w word) bool {
			if w.Token < s.mark {
				return true
			}
			if w.Kind == "write" {
				s.mark = w.Token
			}
			return false
		}
		noUpdateIsLost(t, func() server { return &half{refuses: refuses} })
	})
}
