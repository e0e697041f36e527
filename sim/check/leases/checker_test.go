package leases

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/worldtest"
)

// puppet is a replica whose beliefs a test sets.
type puppet struct {
	m      *sim.Machine
	down   bool
	end    time.Time
	counts map[paxos.NodeID]time.Time
	holder paxos.NodeID
	until  time.Time
	silent time.Time
}

func (p *puppet) Clock() *sim.Clock { return p.m.Clock() }
func (p *puppet) Believes() Beliefs {
	if p.down {
		return nil
	}
	return p
}
func (p *puppet) Lease() time.Time                       { return p.end }
func (p *puppet) SupportUntil(id paxos.NodeID) time.Time { return p.counts[id] }
func (p *puppet) now() time.Time                         { return p.m.Clock().Mono() }
func (p *puppet) in(ms int) time.Time                    { return p.now().Add(time.Duration(ms) * time.Millisecond) }
func (p *puppet) LeaseGranted() (paxos.NodeID, time.Time, time.Time) {
	return p.holder, p.until, p.silent
}

// mute is a process that does nothing.
type mute struct{}

func (mute) Start(*sim.Env)                      {}
func (mute) Receive(time.Time, sim.Addr, []byte) {}
func (mute) Wake(time.Time)                      {}

// stage is a world of three puppets, whose clocks have these rate errors.
type stage struct {
	worldtest.World
	l *Checker
	p []*puppet // by replica
}

func newStage(t *testing.T, ppb ...int64) *stage {
	s := &stage{World: worldtest.New(t), p: []*puppet{nil}}
	s.l = New(s.World.World, len(ppb))
	for i, rate := range ppb {
		m := s.Add(sim.MachineConfig{
			Process: func() sim.Process { return mute{} },
			Clock:   sim.ClockConfig{RatePPB: rate, Offset: time.Duration(i) * time.Hour},
		})
		s.p = append(s.p, &puppet{m: m, counts: map[paxos.NodeID]time.Time{}})
		s.l.Parties[i+1] = s.p[i+1]
	}
	return s
}

func (s *stage) acts(ids ...paxos.NodeID) {
	for _, id := range ids {
		s.l.Acted(id)
	}
}

func (s *stage) pass(ms int) {
	s.Run(s.Now() + time.Duration(ms)*time.Millisecond)
}

func TestS7TwoReplicasHaveReadAuthority(t *testing.T) {
	s := newStage(t, 0, 0, 0)
	s.p[1].end = s.p[1].in(100)
	s.acts(1)
	s.pass(100)
	s.p[2].end = s.p[2].in(100)
	s.acts(2)
	s.Good()
	s.p[3].end = s.p[3].in(0) // over already
	s.acts(3)
	s.Good()
	s.p[3].end = s.p[3].in(1)
	s.acts(3)
	s.Breaks("S7")
}

// True time decides, not what a clock shows: the first holder's clock is slow.
func TestS7InTrueTime(t *testing.T) {
	s := newStage(t, -200_000_000, 0)
	s.p[1].end = s.p[1].in(80) // 100 ms of true time
	s.acts(1)
	s.pass(99)
	s.p[2].end = s.p[2].in(10)
	s.acts(2)
	s.Breaks("S7")
}

func TestS7AReplicaThatIsDownHasNone(t *testing.T) {
	s := newStage(t, 0, 0)
	s.p[1].end = s.p[1].in(100)
	s.acts(1)
	s.p[1].down = true
	s.p[2].end = s.p[2].in(100)
	s.acts(2)
	s.Good()
	s.p[1].down = false
	s.p[1].end = s.p[1].in(200)
	s.acts(1)
	s.Breaks("S7")
}

// counted is replica 1 as leader, which counts on replica 2; that has granted as long a
// lease.
func counted(t *testing.T, ppb ...int64) *stage {
	s := newStage(t, ppb...)
	s.p[2].holder, s.p[2].until = 1, s.p[2].in(120)
	s.acts(2)
	s.p[1].counts[2], s.p[1].end = s.p[1].in(80), s.p[1].in(80)
	s.acts(1)
	return s
}

func TestS7bTheMarginOfDrift(t *testing.T) {
	s := counted(t, -200_000_000, 200_000_000) // 80/0.8 = 120/1.2 ms
	s.pass(200)
	s.Good()

	s = counted(t, -201_000_000, 200_000_000)
	s.Breaks("S7b") // it will be too short, and is reported when it is made
}

// The check at the end of a grant moves when the clock's rate changes.
func TestS7bAClockThatIsTurned(t *testing.T) {
	s := counted(t, -200_000_000, 0)
	s.pass(50)
	s.p[2].m.Clock().SetRate(500_000_000)
	s.l.Turned(2)
	s.pass(45) // its 120 ms are over after 50 + 70/1.5
	s.Good()
	s.pass(5)
	s.Breaks("S7b")
}

func TestS7bAGrantThatIsRenewed(t *testing.T) {
	s := counted(t, 0, 0)
	s.pass(70)
	s.p[2].until = s.p[2].in(120)
	s.acts(2)
	s.p[1].counts[2], s.p[1].end = s.p[1].in(100), s.p[1].in(100)
	s.acts(1)
	s.pass(200)
	s.Good()
}

func TestS7bAGrantGivenToAnother(t *testing.T) {
	s := counted(t, 0, 0, 0)
	s.p[2].holder = 3
	s.acts(2)
	s.Breaks("S7b")
	require.Contains(t, s.Failure().Text, "counts on the grant of replica 2 for 80ms more, which honours one to replica 3 for 120ms more")

	s = counted(t, 0, 0, 0)
	s.pass(80)
	s.p[2].holder = 3
	s.acts(2)
	s.Good()
}

func TestS7bAGrantThatWasNeverGiven(t *testing.T) {
	s := newStage(t, 0, 0)
	s.p[1].counts[2], s.p[1].end = s.p[1].in(80), s.p[1].in(80)
	s.acts(1)
	s.Breaks("S7b")
}

// A grant that the leader counts is checked even if it moves no authority: a grant of an
// earlier ballot may be taken for one of this ballot.
func TestS7bACountThatMovesNoAuthority(t *testing.T) {
	s := counted(t, 0, 0)
	s.p[1].counts[2] = s.p[1].in(120)
	s.acts(1)
	s.Good()
	s.p[1].counts[2] = s.p[1].in(121)
	s.acts(1)
	s.Breaks("S7b")
}

func TestS7bARestartThatForgets(t *testing.T) {
	s := counted(t, 0, 0)
	again := *s.p[2]
	again.holder, again.until, again.silent = 0, time.Time{}, s.p[2].in(120)
	s.l.Parties[2] = &again
	s.acts(2)
	s.Good()
	s.pass(200)
	s.Good()

	s = counted(t, 0, 0)
	again = *s.p[2]
	again.holder, again.until = 0, time.Time{}
	s.l.Parties[2] = &again
	s.acts(2)
	s.Breaks("S7b")
}

func TestS7bIsLeftOutOnDemand(t *testing.T) {
	s := newStage(t, 0, 0)
	s.l.OnlyS7 = true
	s.p[1].counts[2], s.p[1].end = s.p[1].in(80), s.p[1].in(80)
	s.acts(1)
	s.Good()
}
