package cell

import (
	"errors"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// suffixWatch checks that what an expired session loses is a suffix of the calls
// (S11, C4.06): none succeeds that began after the program was told.
type suffixWatch struct {
	world *sim.World
	lost  map[*client.Client]bool
}

func newSuffixWatch(w *sim.World) *suffixWatch {
	return &suffixWatch{world: w, lost: map[*client.Client]bool{}}
}

// told is how a call ended; late says that it began after the session was lost.
func (s *suffixWatch) told(cl *client.Client, late bool, err error) {
	if errors.Is(err, client.ErrSessionExpired) {
		s.lost[cl] = true
	}
	if late && err == nil {
		s.world.Break("S11", "a call succeeds that began after its client had told that the session is expired")
	}
}
