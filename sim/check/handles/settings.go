package handles

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
)

// Settings checks limits that an operator sets. A replica that says that limits are set has
// applied the command that sets them, so a majority of disks has it (S3).
type Settings struct {
	World *sim.World
	asked map[paxos.NodeID][]command.SetLimits // by the present life, not answered yet
	done  map[command.SetLimits]int            // executed, with any guard

	Set     uint64 // times that limits were set
	Unknown uint64 // times that the outcome stayed unknown
}

// NewSettings returns the checker of a cell.
func NewSettings(w *sim.World) *Settings {
	return &Settings{World: w, asked: map[paxos.NodeID][]command.SetLimits{}, done: map[command.SetLimits]int{}}
}

// OnCommand reports a command when it is first applied anywhere.
func (s *Settings) OnCommand(a *command.Applied) {
	if c, sets := a.Command.(command.SetLimits); sets && a.Verdict == command.Executed {
		c.Guard = 0
		s.done[c]++
		s.Set++
	}
}

// OnAsked reports that a replica has accepted an operator's request to set limits.
func (s *Settings) OnAsked(id paxos.NodeID, c command.SetLimits) {
	s.asked[id] = append(s.asked[id], c)
}

// OnStarted reports that a life of a replica begins: the former life will not answer any
// more.
func (s *Settings) OnStarted(id paxos.NodeID) { delete(s.asked, id) }

// OnAnswers reports a replica's answers to the oldest requests to set limits.
func (s *Settings) OnAnswers(id paxos.NodeID, codes []api.Code) {
	for _, code := range codes {
		if len(s.asked[id]) == 0 {
			s.World.Break("S5", "replica %d answers %v to limits that it was not asked to set", id, code)
			return
		}
		c := s.asked[id][0]
		s.asked[id] = s.asked[id][1:]
		if code == api.OK && s.done[c] == 0 {
			s.World.Break("S3", "replica %d says that the limits are set to %+v, and no log has that", id, c)
		}
		if code == api.NotMaster {
			s.Unknown++
		}
	}
}
