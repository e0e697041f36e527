package clients

import (
	"errors"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// Suffix checks that what an expired session loses is a suffix of the calls
// (S11, C4.06): none succeeds that began after the program was told. And where nothing is
// lost with it the client goes on under another one: no call fails for that.
type Suffix struct {
	world  *sim.World
	lost   map[*client.Client]bool
	unsure map[*client.Client]uint64 // in which of its sessions a call had an unknown outcome last
}

// NewSuffix returns the watch of calls that end in w.
func NewSuffix(w *sim.World) *Suffix {
	return &Suffix{world: w, lost: map[*client.Client]bool{}, unsure: map[*client.Client]uint64{}}
}

// Lost says that a program was told that a session of the client's is lost.
func (s *Suffix) Lost(cl *client.Client) bool { return s.lost[cl] }

// Ended is told how a call ended; late says that it began after the session was lost, and
// l watches the client, nil if nobody does. An answer that came at this very instant may
// have come behind the session's end.
func (s *Suffix) Ended(cl *client.Client, late bool, err error, l *Life) {
	if l != nil && errors.Is(err, client.ErrOutcomeUnknown) {
		s.unsure[cl] = l.account.life
	}
	if errors.Is(err, client.ErrSessionExpired) {
		s.lost[cl] = true
		if l != nil && l.account.life > s.unsure[cl] && l.account.hangs.at < s.world.Now() && l.account.hangs.nothing() {
			s.world.Break("S11", "a call fails because the session is expired, and with that nothing was lost: %v", err)
		}
	}
	if late && err == nil {
		s.world.Break("S11", "a call succeeds that began after its client had told that the session is expired")
	}
}
