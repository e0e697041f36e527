package cellkit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cellkit"
	"github.com/chubbycell/chubby/sim/faults"
	"github.com/chubbycell/chubby/sim/simtest"
)

// pair is a world with two cells, west and east.
type pair struct {
	*sim.World
	west, east *cellkit.Cell
}

func newPair(t *testing.T) pair {
	w := sim.New(sim.Config{Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond}}})
	t.Cleanup(w.Close)
	return pair{w, cellkit.Add(w, cellkit.Config{Name: "west"}), cellkit.Add(w, cellkit.Config{Name: "east", Replicas: 5})}
}

// does runs a program with a Client of both cells on a new machine, and demands that it ends.
func (p pair) does(t *testing.T, f func(ctx context.Context, c *client.Client) error) {
	t.Helper()
	err := errors.New("the program has not ended")
	p.Add(p.programOf(func(ctx context.Context, c *client.Client) { err = f(ctx, c) })).Start()
	p.RunFor(2 * time.Minute)
	require.Nil(t, p.Failure())
	require.NoError(t, err)
}

func (p pair) programOf(f func(ctx context.Context, c *client.Client)) sim.MachineConfig {
	return sim.MachineConfig{Addr: sim.FirstClient + sim.Addr(len(p.Clients())), Process: sim.Program(func(rt *sim.Runtime) {
		ctx, cancel := rt.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		f(ctx, cellkit.NewClient(rt, client.Config{}, p.west, p.east))
	})}
}

// set writes a file, and get reads it.
func set(ctx context.Context, c *client.Client, name, text string) error {
	h, err := c.Open(ctx, name, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	_, err = h.SetContents(ctx, text, 0)
	return err
}

func get(ctx context.Context, c *client.Client, name string) (string, error) {
	h, err := c.Open(ctx, name, client.OpenOptions{Rights: client.Read})
	if err != nil {
		return "", err
	}
	text, _, err := h.Contents(client.Uncached(ctx))
	return text, err
}

// The replicas of two cells have the same ids, and the cells have nothing in common.
func TestTwoCellsShareNothing(t *testing.T) {
	p := newPair(t)
	require.Equal(t, []sim.Addr{1, 2, 3}, p.west.Addrs())
	require.Equal(t, []sim.Addr{4, 5, 6, 7, 8}, p.east.Addrs())
	var got []string
	p.does(t, func(ctx context.Context, c *client.Client) error {
		err := errors.Join(set(ctx, c, "/ls/west/a", "of west"), set(ctx, c, "/ls/east/a", "of east"), set(ctx, c, "/ls/east/b", "alone"))
		for _, name := range []string{"/ls/local/a", "/ls/west/a", "/ls/east/a", "/ls/west/b"} {
			text, bad := get(ctx, c, name)
			if errors.Is(bad, client.ErrNotFound) {
				text, bad = "none", nil
			}
			got, err = append(got, text), errors.Join(err, bad)
		}
		return err
	})
	require.Equal(t, []string{"of west", "of west", "of east", "none"}, got)
}

// A cell answers while the other one is down, and that one has its files when it is back.
func TestACellAnswersWithoutTheOther(t *testing.T) {
	p := newPair(t)
	p.does(t, func(ctx context.Context, c *client.Client) error {
		return errors.Join(set(ctx, c, "/ls/west/a", "before"), set(ctx, c, "/ls/east/a", "before"))
	})
	for _, m := range p.west.Machines() {
		m.Crash()
	}
	require.Nil(t, p.west.Master(nil))
	p.does(t, func(ctx context.Context, c *client.Client) error {
		short, cancel := c.Runtime().WithTimeout(ctx, 10*time.Second)
		defer cancel()
		if text, err := get(short, c, "/ls/west/a"); err == nil {
			return fmt.Errorf("a cell without replicas has answered %q", text)
		}
		return set(ctx, c, "/ls/east/a", "without west")
	})
	for _, m := range p.west.Machines() {
		m.Start()
	}
	p.does(t, func(ctx context.Context, c *client.Client) error {
		text, err := get(ctx, c, "/ls/west/a")
		if err == nil && text != "before" {
			err = fmt.Errorf("after a power cut /ls/west/a is %q", text)
		}
		return err
	})
}

// Each kind of fault takes the master away, and calls go on at another one.
func TestFaultsReachTheReplicas(t *testing.T) {
	for name, strike := range map[string]func(m *sim.Machine){
		"crash": (*sim.Machine).Crash,
		"kill":  (*sim.Machine).Kill,
		"pause": (*sim.Machine).Pause,
		"cut":   func(m *sim.Machine) { m.World().Net().Isolate(m.Addr()) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t)
			p.RunFor(5 * time.Second)
			first, other := p.west.Master(nil), p.east.Master(nil)
			require.NotNil(t, first)
			strike(first)
			p.does(t, func(ctx context.Context, c *client.Client) error { return set(ctx, c, "/ls/west/a", "later") })
			second := p.west.Master(nil)
			require.NotNil(t, second)
			require.NotEqual(t, first.Addr(), second.Addr())
			require.Equal(t, other, p.east.Master(nil), "the other cell has no part in it")
		})
	}
}

func TestClocksOfReplicasAreThoseOfTheConfig(t *testing.T) {
	w := sim.New(sim.Config{})
	t.Cleanup(w.Close)
	c := cellkit.Add(w, cellkit.Config{Clock: func(id uint32) sim.ClockConfig { return sim.ClockConfig{Offset: time.Duration(id) * time.Hour} }})
	first := c.Machines()[0].Clock().Mono()
	require.Equal(t, time.Hour, c.Machines()[1].Clock().Mono().Sub(first))
}

// A server below FirstClient, which faults of the library strike like a replica, is a client of the
// cells too. Bytes that are no message do no harm.
func TestAnyMachineMayCall(t *testing.T) {
	p := newPair(t)
	done := errors.New("the server has not ended")
	server := p.programOf(func(ctx context.Context, c *client.Client) {
		env := c.Runtime().(interface{ Env() *sim.Env }).Env()
		for a := range sim.Addr(9) {
			env.Send(a, []byte("what is this?"))
		}
		done = errors.Join(set(ctx, c, "/ls/west/s", "1"), set(ctx, c, "/ls/east/s", "2"))
	})
	server.Addr = 0
	p.Add(server).Start()
	p.RunFor(time.Minute)
	require.NoError(t, done)
	require.Nil(t, p.Failure())
}

// Two Clients of one machine, one after the other, have two sessions.
func TestTheNextClientOfAMachineHasASessionOfItsOwn(t *testing.T) {
	w := sim.New(sim.Config{Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond}}})
	t.Cleanup(w.Close)
	cell := cellkit.Add(w, cellkit.Config{})
	var ids []uint64
	w.Add(sim.MachineConfig{Addr: sim.FirstClient, Process: sim.Program(func(rt *sim.Runtime) {
		for range 2 {
			c := cellkit.NewClient(rt, client.Config{}, cell)
			if err := c.Ready(context.Background()); err == nil {
				ids = append(ids, uint64(c.Status().Session))
			}
		}
	})}).Start()
	w.RunFor(time.Minute)
	require.Len(t, ids, 2)
	require.NotEqual(t, ids[0], ids[1])
}

// keeping is programs that count, in a file of each cell. A number that a cell has acknowledged is not lost.
type keeping struct {
	cells []*cellkit.Cell
	acked map[string]int
}

func (*keeping) Name() string { return "keeping" }
func (*keeping) Clients() int { return 2 }
func (k *keeping) Program(n int) func(rt *sim.Runtime) {
	name := []string{"/ls/west/n", "/ls/east/n"}[n]
	return func(rt *sim.Runtime) {
		for rt.Env().World().Now() < safety {
			ctx, cancel := rt.WithTimeout(context.Background(), 30*time.Second)
			c := cellkit.NewClient(rt, client.Config{Rho: rho}, k.cells...)
			for k.count(ctx, c, rt.Env(), name) == nil && rt.Env().World().Now() < safety {
			}
			_ = c.Close(ctx)
			cancel()
		}
	}
}

func (k *keeping) count(ctx context.Context, c *client.Client, env *sim.Env, name string) error {
	h, err := c.Open(ctx, name, client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	defer h.Close(ctx)
	text, stat, err := h.Contents(client.Uncached(ctx))
	if err != nil {
		return err
	}
	n := 0
	if _, _ = fmt.Sscan(text, &n); n < k.acked[name] {
		env.World().Break("K1", "%s is %d, and %d was acknowledged", name, n, k.acked[name])
	}
	if _, err = h.SetContents(ctx, fmt.Sprint(n+1), stat.Content); err == nil {
		k.acked[name] = n + 1
		env.Count("kept")
	}
	return err
}

const (
	safety = 20 * time.Second
	rho    = 20_000 // parts per million: clocks of a swarm err by up to half of it
)

// swarmed is worlds of two cells with the faults of a swarm, which strikes programs too.
func swarmed() simtest.World {
	tune := func(c *driver.Config) { c.Core.Paxos.Lease.Rho = rho }
	return simtest.World{Seeds: 8, Config: sim.Config{Link: sim.LinkConfig{Delay: sim.Table{time.Millisecond, 5 * time.Millisecond}}}, Scenario: func(seed uint64) sim.Scenario {
		k := &keeping{acked: map[string]int{}}
		return sim.Scenario{Faults: faults.SwarmWithClients(seed), Workloads: []sim.Workload{k}, Safety: safety, Liveness: 2 * time.Minute, Setup: func(w *sim.World) {
			k.cells = []*cellkit.Cell{cellkit.Add(w, cellkit.Config{Name: "west", Tune: tune}), cellkit.Add(w, cellkit.Config{Name: "east", Tune: tune})}
		}}
	}}
}

func TestCellsUnderASwarmOfFaultsKeepWhatTheyAcknowledge(t *testing.T) {
	totals := swarmed().Run(t)
	require.NotZero(t, totals.Counter("kept").Sum)
}

func TestWorldsWithCellsAreDeterministic(t *testing.T) {
	x := swarmed()
	x.Seeds = 2
	x.Verify(t)
}
