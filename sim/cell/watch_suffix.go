package cell

import (
	"errors"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// suffixWatch checks that what an expired session loses is a suffix of the calls
// (S11, C4.06): none succeeds that began after the program was told. And where nothing is
// lost with it the client goes on under another one: no call fails for that.
type suffixWatch struct {
	world  *sim.World
	lost   map[*client.Client]bool
	unsure map[*client.Client]uint64 // in which of its sessions a call had an unknown outcome last
}

func newSuffixWatch(w *sim.World) *suffixWatch {
	return &suffixWatch{world: w, lost: map[*client.Client]bool{}, unsure: map[*client.Client]uint64{}}
}

// told is how a call ended; late says that it began after the session was lost, and a
// is what the client may believe of its session, nil if nobody works that out. An answer
// that came at this very instant may have come behind the session's end.
func (s *suffixWatch) told(cl *client.Client, late bool, err error, a *account) {
	if a != nil && errors.Is(err, client.ErrOutcomeUnknown) {
		s.unsure[cl] = a.life
	}
	if errors.Is(err, client.ErrSessionExpired) {
		s.lost[cl] = true
		if a != nil && a.life > s.unsure[cl] && a.hangs.at < s.world.Now() && a.hangs.nothing() {
			s.world.Break("S11", "a call fails because the session is expired, and with that nothing was lost: %v", err)
		}
	}
	if late && err == nil {
		s.world.Break("S11", "a call succeeds that began after its client had told that the session is expired")
	}
}
