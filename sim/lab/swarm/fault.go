package swarm

import (
	"time"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/lab"
)

// Fault is a kind of fault that strikes again and again.
type Fault struct {
	Name   string
	Help   string
	strike func(s *storm)
	begin  func(s *storm) // at the start of the run, in place of strikes
}

// Calm is no fault: what things cost is measured there.
var Calm = Fault{Name: "none", Help: "nothing strikes"}

// ClientCrash is the fault in which the time without a holder is measured.
const ClientCrash = "client-crash"

// ServerCrash is the fault that does not strike systems whose server stands for a cluster.
const ServerCrash = "server-crash"

// Faults are all kinds, in the order of tables.
func Faults() []Fault {
	return []Fault{
		{Name: "pause", Help: "the holder's process stops for 5 to 60 s", strike: pause},
		{Name: "partition", Help: "the holder reaches no other machine for 5 to 60 s, and repeats its requests", strike: partition},
		{Name: "clock-step", Help: "the wall clock of a server is stepped by up to a minute, forward or backward", strike: step},
		{Name: "clock-rate", Help: "each clock runs up to 20 % fast or slow, from the start", begin: rates},
		{Name: ServerCrash, Help: "a server loses power for 0.2 to 2 s", strike: crashServer},
		{Name: ClientCrash, Help: "the holder loses power for good, two of four clients at most", strike: crashClient},
		{Name: "late-write", Help: "what the holder sends to the resource is late by 5 to 60 s", strike: late},
	}
}

// storm is the faults of one run.
type storm struct {
	*lab.Bench
	draw    *sim.Draw
	until   map[string]time.Duration // until when a machine is struck
	crashes []time.Duration          // of holders
}

const (
	length  = 3 * time.Minute
	clients = 4
)

// script puts the clients into the world, and the faults.
func (s *storm) script(f Fault) {
	s.draw = s.World().Draw("lab.swarm", 0)
	for _, name := range []string{"A", "B", "C", "D"}[:clients] {
		s.Client(name, lab.Job{
			Start: s.draw.Duration(0, 3*time.Second), Work: s.draw.Duration(time.Second, 5*time.Second),
			Rest: s.draw.Duration(0, 2*time.Second), Times: 1000, Careless: true,
		})
	}
	if f.begin != nil {
		f.begin(s)
	}
	if f.strike != nil {
		s.strikes(s.draw.Duration(5*time.Second, 15*time.Second), f)
	}
}

// strikes strikes at an instant, and goes on.
func (s *storm) strikes(at time.Duration, f Fault) {
	if at < length {
		s.At(at, func() {
			f.strike(s)
			s.strikes(at+s.draw.Duration(15*time.Second, 30*time.Second), f)
		})
	}
}

// holder is a client that holds the lock and is not struck, and until when a fault strikes it.
func (s *storm) holder() (name string, until time.Duration, ok bool) {
	until = s.Now() + time.Duration(s.draw.LogUniform(int64(5*time.Second), int64(time.Minute)))
	if name = s.Holder(); name == "" || s.until[name] > s.Now() {
		return "", 0, false
	}
	s.until[name] = until
	return name, until, true
}

func pause(s *storm) {
	if name, until, ok := s.holder(); ok {
		s.Pause(name, until)
	}
}

func partition(s *storm) {
	if name, until, ok := s.holder(); ok {
		s.Cut([]string{name}, append(s.Services(), lab.Resource), until)
	}
}

func late(s *storm) {
	if name, until, ok := s.holder(); ok {
		s.HoldBack(name, lab.Resource, until)
	}
}

func (s *storm) service() string {
	all := s.Services()
	return all[s.draw.Int(len(all))]
}

func step(s *storm) {
	name := s.service()
	s.StepWall(name, s.draw.Duration(-time.Minute, time.Minute))
}

func rates(s *storm) {
	for _, name := range append(s.Services(), s.Clients()...) {
		s.Rate(name, s.draw.Between(-20, 20))
	}
}

func crashServer(s *storm) {
	name := s.service()
	s.Crash(name, s.draw.Duration(200*time.Millisecond, 2*time.Second))
}

func crashClient(s *storm) {
	name := s.Holder()
	if name == "" || len(s.crashes) == clients/2 {
		return
	}
	s.crashes = append(s.crashes, s.Now())
	s.Crash(name, -1)
}
