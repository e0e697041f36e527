package sim

import "time"

// Strike is one strike of a Fault in a run (Stage.Next).
type Strike struct {
	Fault int           `json:"fault"` // its place in Scenario.Faults
	N     int           `json:"n"`     // which strike of its fault, from 1
	At    time.Duration `json:"at_ns"` // true time
	Draws *Tape         `json:"draws"` // what it draws; a file keeps it
}

// Next waits for the next strike of the fault, and reports whether there is one; like Sleep, it
// returns false when the faults are over. The strike comes when the time drawn by gap has passed.
// The code between two calls of Next is one strike.
//
// In a run that is played from a script (Scenario.Script), the strike happens at its recorded time
// and draws what it drew then, whichever other strikes are left out. A failure can thus be shrunk
// strike by strike. gap draws from Draw; it is not called when a script is played.
func (s *Stage) Next(gap func() time.Duration) bool {
	s.draw = s.own
	if s.h.s.Script != nil {
		return s.nextOfScript()
	}
	if !s.Sleep(gap()) {
		return false
	}
	s.struck++
	s.h.w.Tracef(0, "fault", "%s %d", s.name, s.struck)
	if r := s.h.s.Record; r != nil {
		x := Strike{Fault: s.i, N: s.struck, At: s.h.w.Now(), Draws: new(Tape)}
		*r = append(*r, x)
		s.draw = s.own.Taped(x.Draws)
	}
	return true
}

func (s *Stage) nextOfScript() bool {
	for _, x := range (*s.h.s.Script)[s.played:] {
		s.played++
		if x.Fault != s.i {
			continue
		}
		if !s.Sleep(max(0, x.At-s.h.w.Now())) {
			return false
		}
		s.h.w.Tracef(0, "fault", "%s %d", s.name, x.N)
		s.draw = s.own.Played(*x.Draws, s.h.w.Draw("fault.more."+s.name, uint64(s.i)<<32|uint64(x.N)))
		return true
	}
	return false
}
