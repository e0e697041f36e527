package clients

import (
	"errors"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// Suffix checks that an expired session loses a suffix of its calls (S11, C4.06): no call
// succeeds that began after the program learned of the expiry. Where nothing is lost with a
// session, the client goes on under another one, and no call fails with ErrSessionExpired.
type Suffix struct {
	world   *sim.World
	lost    map[*client.Client]bool
	unknown map[*client.Client]uint64 // client -> its latest session in which a call had an unknown outcome
}

// NewSuffix returns the check for all clients of w.
func NewSuffix(w *sim.World) *Suffix {
	return &Suffix{world: w, lost: map[*client.Client]bool{}, unknown: map[*client.Client]uint64{}}
}

// HasLost reports that a call of client cl has failed with ErrSessionExpired.
func (s *Suffix) HasLost(cl *client.Client) bool { return s.lost[cl] }

// OnCallEnd checks how a call of client cl ended. late says that the call began after HasLost
// was true; l is the client's Life, nil if it has none. A reply that came at this very
// instant may have come after the session's end.
func (s *Suffix) OnCallEnd(cl *client.Client, late bool, err error, l *Life) {
	if l != nil && (errors.Is(err, client.ErrOutcomeUnknown) || errors.Is(err, client.ErrWithdrawn)) {
		s.unknown[cl] = l.model.sessions
	}
	if errors.Is(err, client.ErrSessionExpired) {
		s.lost[cl] = true
		if l != nil && l.model.sessions > s.unknown[cl] && l.model.calls.isAnsweredBefore(s.world.Now()) && l.model.calls.hasNothingToLose() {
			s.world.Diverge("S11", "a call fails because the session is expired, although nothing was lost with it: %v", err)
		}
	}
	if late && err == nil {
		s.world.Diverge("S11", "a call succeeds that began after its client had reported that the session is expired")
	}
}
