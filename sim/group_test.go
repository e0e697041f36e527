package sim

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ledger is a state machine that keeps all commands.
type ledger struct{ all []string }

func (l *ledger) Apply(c string) string {
	l.all = append(l.all, c)
	return fmt.Sprint(len(l.all))
}

func (l *ledger) Checksum() uint64 {
	h := fnv.New64a()
	for _, c := range l.all {
		_, _ = h.Write([]byte(c + "\n"))
	}
	return h.Sum64()
}

// havoc crashes, pauses and cuts off replicas.
type havoc struct{}

func (havoc) Name() string { return "havoc" }

func (havoc) Run(s *Stage) {
	for s.Sleep(s.Draw().Duration(0, 400*time.Millisecond)) {
		m := s.Replica()
		switch s.Draw().Int(4) {
		case 0:
			m.Crash()
			m.StartAfter(s.Draw().Duration(0, time.Second))
		case 1:
			m.PauseFor(s.Draw().Duration(0, time.Second))
		case 2:
			s.World().Net().Isolate(m.Addr())
			s.Sleep(s.Draw().Duration(0, time.Second))
			s.World().Net().Rejoin(m.Addr())
		case 3:
			m.CrashAt("disk.syncdata", s.Draw().Duration(0, time.Second))
		}
	}
}

// appends is clients that each append n lines.
type appends struct {
	g       **Group
	clients int
	n       int
	done    map[string]int
}

func (a *appends) Name() string { return "appends" }
func (a *appends) Clients() int { return a.clients }
func (a *appends) Program(client int) func(rt *Runtime) {
	return func(rt *Runtime) {
		c := (*a.g).Caller(rt)
		for i := range a.n {
			text := fmt.Sprintf("c%d line %d", client, i)
			if _, err := c.Call(context.Background(), text); err == nil {
				a.done[text]++
			}
		}
	}
}

func TestAGroupOfPaxosNodesSurvivesHavoc(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		var g *Group
		load := &appends{g: &g, clients: 3, n: 60, done: map[string]int{}}
		var final []string
		r := Scenario{
			Setup: func(w *World) {
				g = NewGroup(w, GroupConfig{
					Replicas: 3, New: NewPaxos, Disk: ssd(), Segment: 4096,
					State: func() StateMachine { return &ledger{} },
					Clock: func(a Addr) ClockConfig { return ClockConfig{RatePPB: int64(a) * 10_000_000} },
				})
			},
			Faults: []Fault{havoc{}}, Workloads: []Workload{load},
			Properties: []Property{lastLook{func(w *World) {
				for _, a := range g.Members() {
					if s, ok := g.State(a).(*ledger); ok && len(s.all) > len(final) {
						final = s.all
					}
				}
			}}},
			Safety: 20 * time.Second, Liveness: 60 * time.Second,
		}.Run(Config{Seed: seed, Link: lan()})
		require.Nil(t, r.Failure, r.String())
		require.Len(t, load.done, 180)
		require.Len(t, final, 180, "each command once")
		require.Positive(t, g.Agreement().Slots())
	}
}

// lastLook is a property that never breaks: it calls look at each check.
type lastLook struct{ look func(w *World) }

func (lastLook) ID() string { return "look" }
func (l lastLook) Check(w *World) error {
	l.look(w)
	return nil
}

func TestAgreementCatches(t *testing.T) {
	b := func(r uint64, n Addr) Ballot { return Ballot{r, n} }
	vote := func(r uint64, n Addr, v string) Vote { return Vote{Slot: 7, Ballot: b(r, n), Value: v} }
	for name, c := range map[string]struct {
		feed func(a *Agreement)
		bad  string
		rule VoteRule
	}{
		"nothing wrong": {func(a *Agreement) {
			a.OnVote(1, vote(1, 1, "x"))
			a.OnVote(2, vote(1, 2, "y")) // of a minority
			a.OnVote(2, vote(2, 1, "x"))
			a.OnVote(1, vote(2, 1, "x"))
			a.OnVote(1, vote(2, 1, "x"))
			a.OnChosen(1, 7, "x")
			a.OnChosen(2, 7, "x")
		}, "", PaxosLike},
		"two values at one ballot": {func(a *Agreement) {
			a.OnVote(1, vote(1, 1, "x"))
			a.OnVote(2, vote(1, 1, "y"))
		}, "ballot 1.1", PaxosLike},
		"another value above a chosen one": {func(a *Agreement) {
			a.OnVote(1, vote(1, 1, "x"))
			a.OnVote(2, vote(1, 1, "x"))
			a.OnVote(3, vote(1, 2, "y"))
		}, "voted for \"y\"", PaxosLike},
		"the vote above came first": {func(a *Agreement) {
			a.OnVote(3, vote(2, 1, "y"))
			a.OnVote(1, vote(1, 1, "x"))
			a.OnVote(2, vote(1, 1, "x"))
		}, "voted for \"y\"", PaxosLike},
		"chosen without a quorum": {func(a *Agreement) {
			a.OnVote(1, vote(1, 1, "x"))
			a.OnVote(1, vote(1, 1, "x")) // repeated: still one disk
			a.OnChosen(1, 7, "x")
		}, "no quorum", PaxosLike},
		"another value than the quorum's": {func(a *Agreement) {
			a.OnVote(1, vote(1, 1, "x"))
			a.OnVote(2, vote(1, 1, "x"))
			a.OnChosen(1, 7, "y")
		}, "but \"x\" was", PaxosLike},
		"two values taken for chosen": {func(a *Agreement) {
			a.OnChosen(1, 7, "x")
			a.OnChosen(3, 7, "x")
			a.OnChosen(2, 7, "y")
		}, `slot 7: n1 took "x" for chosen, and now n2 takes "y"`, PaxosLike},
		"an entry of an older term on a quorum is overwritten": {func(a *Agreement) {
			a.OnVote(1, vote(2, 1, "x"))
			a.OnVote(2, vote(2, 1, "x"))
			a.OnVote(3, vote(3, 3, "y"))
			a.OnVote(2, vote(3, 3, "y"))
			a.OnChosen(3, 7, "y")
			a.OnVote(1, vote(3, 3, "y"))
			a.OnChosen(1, 7, "y")
		}, "", RaftLike},
		"a term with two values": {func(a *Agreement) {
			a.OnVote(1, vote(2, 1, "x"))
			a.OnVote(2, vote(2, 1, "y"))
		}, "ballot 2.1", RaftLike},
		"chosen after it was overwritten": {func(a *Agreement) {
			a.OnVote(1, vote(2, 1, "x"))
			a.OnVote(2, vote(2, 1, "x"))
			a.OnVote(2, vote(3, 3, "y"))
			a.OnChosen(1, 7, "x")
		}, "newest vote of 1 disks only, of 2", RaftLike},
		"overwritten after it was chosen": {func(a *Agreement) {
			a.OnVote(1, vote(2, 1, "x"))
			a.OnVote(2, vote(2, 1, "x"))
			a.OnChosen(1, 7, "x")
			a.OnVote(3, vote(3, 3, "y"))
			a.OnVote(2, vote(3, 3, "y"))
			a.OnChosen(3, 7, "y")
		}, `n1 took "x" for chosen, and now n3 takes "y"`, RaftLike},
	} {
		t.Run(name, func(t *testing.T) {
			w := New(Config{})
			defer w.Close()
			c.feed(NewAgreement(w, 3, c.rule))
			if c.bad == "" {
				require.Nil(t, w.Failure())
				return
			}
			require.NotNil(t, w.Failure())
			require.Equal(t, "S1", w.Failure().ID)
			require.Contains(t, w.Failure().Text, c.bad)
		})
	}
}

func TestChecksumsCatch(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	c := NewChecksums(w)
	c.OnApplied(1, 5, 77)
	c.OnApplied(2, 5, 77)
	c.OnApplied(2, 6, 78)
	require.Nil(t, w.Failure())
	c.OnApplied(1, 6, 79)
	require.Equal(t, "S6", w.Failure().ID)
}

// counting is a property that breaks at its tenth check.
type counting struct{ n *int }

func (counting) ID() string { return "X1" }
func (c counting) Check(*World) error {
	if *c.n++; *c.n == 10 {
		return fmt.Errorf("looked %d times", *c.n)
	}
	return nil
}

func TestAScenarioEndsAtTheFirstBrokenProperty(t *testing.T) {
	n := 0
	r := Scenario{Properties: []Property{counting{&n}}, Safety: time.Hour}.Run(Config{})
	require.Equal(t, "X1", r.Failure.ID)
	require.Equal(t, time.Second, r.Simulated)
	require.Contains(t, r.String(), "X1 broken")
}

// stuck is a program that never ends.
type stuck struct{}

func (stuck) Name() string { return "stuck" }
func (stuck) Clients() int { return 1 }
func (stuck) Program(int) func(rt *Runtime) {
	return func(rt *Runtime) { _, _ = rt.Wait(context.Background(), rt.NewSignal()) }
}

func TestProgramsMustEndAfterHealing(t *testing.T) {
	r := Scenario{Workloads: []Workload{stuck{}}, Safety: time.Second, Liveness: time.Minute}.Run(Config{})
	require.Equal(t, "L1", r.Failure.ID)
	require.Equal(t, time.Minute+time.Second, r.Simulated)
}

// tidy is a fault that notes when it cleaned up.
type tidy struct{ cleaned *time.Duration }

func (tidy) Name() string { return "tidy" }
func (f tidy) Run(s *Stage) {
	for s.Sleep(time.Hour) {
	}
	*f.cleaned = s.World().Now()
}

func TestFaultsEndWithTheSafetyPhase(t *testing.T) {
	var at time.Duration
	r := Scenario{
		Setup:  func(w *World) { w.Add(MachineConfig{Process: func() Process { return &silent{} }}) },
		Faults: []Fault{tidy{&at}}, Safety: 5 * time.Second,
	}.Run(Config{})
	require.Nil(t, r.Failure)
	require.Equal(t, 5*time.Second, at)
}

// A replica whose log has rotted does not vote: it fails, and the group goes on.
func TestADamagedReplicaStaysOut(t *testing.T) {
	w := New(Config{Seed: 1})
	defer w.Close()
	g := NewGroup(w, GroupConfig{Replicas: 3, New: NewPaxos, State: func() StateMachine { return &ledger{} }})
	done := 0
	w.Add(MachineConfig{Addr: FirstClient, Process: Program(func(rt *Runtime) {
		c := g.Caller(rt)
		for i := range 40 {
			if _, err := c.Call(context.Background(), fmt.Sprintf("a line that rots %d", i)); err == nil {
				done++
			}
			rt.Env().Sleep(100 * time.Millisecond)
		}
	})}).Start()
	w.RunFor(2 * time.Second)
	m := w.Machine(1)
	require.NotNil(t, g.Node(1))
	m.Kill()
	require.Nil(t, g.Node(1))
	require.Nil(t, g.State(1))
	mem := m.Disk().Mem()
	for _, f := range mem.Files() {
		b, err := mem.Contents(f.Name)
		must(t, err)
		if i := bytes.Index(b, []byte("a line that rots 3")); i >= 0 {
			must(t, mem.Corrupt(f.Name, int64(i), 0x10))
		}
	}
	m.Start()
	w.RunFor(20 * time.Second)
	require.Nil(t, w.Failure(), failed(w))
	require.False(t, m.Up())
	require.ErrorContains(t, m.Failures()[0], "damaged")
	require.Equal(t, 40, done)
}
