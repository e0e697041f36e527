package handles

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
)

// Settings follows what an operator has replicas set limits to. A replica that says that limits
// are set has applied the command that sets them, so a majority of disks has it (S3).
type Settings struct {
	World *sim.World
	asked map[paxos.NodeID][]command.SetLimits // of the present life, that are not answered
	done  map[command.SetLimits]int            // executed, whatever their guard

	Set     uint64 // times that limits were set
	Unknown uint64 // times that it stayed unknown whether they are
}

// NewSettings makes the checker of a cell.
func NewSettings(w *sim.World) *Settings {
	return &Settings{World: w, asked: map[paxos.NodeID][]command.SetLimits{}, done: map[command.SetLimits]int{}}
}

// OnCommand is told of each command as it is first applied anywhere.
func (s *Settings) OnCommand(a *command.Applied) {
	if c, sets := a.Command.(command.SetLimits); sets && a.Verdict == command.Executed {
		c.Guard = 0
		s.done[c]++
		s.Set++
	}
}

// OnAsked is told that a replica has taken an operator's limits.
func (s *Settings) OnAsked(id paxos.NodeID, c command.SetLimits) {
	s.asked[id] = append(s.asked[id], c)
}

// OnStarted is told that a life of a replica begins: the one before owes no answer any more.
func (s *Settings) OnStarted(id paxos.NodeID) { delete(s.asked, id) }

// OnAnswers is told what a replica says of the oldest limits that it was asked to set.
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
