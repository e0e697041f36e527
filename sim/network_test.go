package sim

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listener notes what it receives.
type listener struct {
	env *Env
	got []string
	at  []time.Duration
}

func (p *listener) Start(env *Env) { p.env = env }
func (p *listener) Receive(_ time.Time, from Addr, msg []byte) {
	p.got = append(p.got, string(msg))
	p.at = append(p.at, p.env.World().Now())
}
func (p *listener) Wake(time.Time) {}

// listeners is a world of n machines that keep what they receive over all lives.
func listeners(t *testing.T, cfg Config, n int) (*World, []*listener) {
	w := New(cfg)
	t.Cleanup(w.Close)
	ls := make([]*listener, n)
	for i := range n {
		ls[i] = &listener{}
		w.Add(MachineConfig{Process: func() Process { return ls[i] }}).Start()
	}
	w.RunFor(time.Millisecond)
	return w, ls
}

func TestMessagesArriveInOrderAndWithinTheTable(t *testing.T) {
	w, ls := listeners(t, Config{Seed: 3, Link: LinkConfig{Delay: Table{time.Millisecond, 3 * time.Millisecond}}}, 2)
	var want []string
	for i := range 200 {
		want = append(want, fmt.Sprint(i))
		ls[0].env.Send(2, []byte(want[i]))
	}
	start := w.Now()
	w.RunFor(time.Second)
	require.Equal(t, want, ls[1].got)
	for _, at := range ls[1].at {
		require.GreaterOrEqual(t, at-start, time.Millisecond)
		require.Less(t, at-start, 4*time.Millisecond)
	}
	require.Empty(t, ls[0].got)
}

// With another set of link draws, a message that is not sent moves no other message. With the draws of the seed it moves all later
// ones on its link.
func TestAMessageThatIsLeftOutMovesNoOther(t *testing.T) {
	arrivals := func(set uint64, leftOut int) map[string]time.Duration {
		w, ls := listeners(t, Config{Seed: 3, LinkDraws: set, Link: LinkConfig{Delay: Table{time.Millisecond, 3 * time.Millisecond}, Loss: 100_000, Reorder: 200_000, Duplicate: 100_000}}, 2)
		for i := range 50 {
			if i != leftOut {
				ls[0].env.Send(2, []byte(fmt.Sprint(i)))
			}
			w.RunFor(5 * time.Millisecond)
		}
		at := map[string]time.Duration{}
		for i, m := range ls[1].got {
			at[m] = max(at[m], ls[1].at[i])
		}
		delete(at, "20")
		return at
	}
	for set := uint64(1); set < 9; set++ {
		require.Equal(t, arrivals(set, -1), arrivals(set, 20))
	}
	require.NotEqual(t, arrivals(0, -1), arrivals(0, 20))
}

func TestTheSenderMayUseItsBytesAgain(t *testing.T) {
	w, ls := listeners(t, Config{Link: LinkConfig{Duplicate: million}}, 2)
	b := []byte("hello")
	ls[0].env.Send(2, b)
	copy(b, "spoil")
	w.RunFor(time.Second)
	require.Equal(t, []string{"hello", "hello"}, ls[1].got)
}

func TestAMessageComesAgainWheneverAStrikeWants(t *testing.T) {
	w, ls := listeners(t, Config{Link: LinkConfig{Delay: Table{time.Millisecond}}}, 2)
	ls[0].env.Send(2, []byte("a"))
	w.RunFor(time.Hour)
	w.Net().Link(1, 2).Echo([]byte("a"))
	require.Equal(t, []string{"a"}, ls[1].got)
	w.RunFor(time.Millisecond)
	require.Equal(t, []string{"a", "a"}, ls[1].got)
}

func TestLossDuplicationAndReordering(t *testing.T) {
	rate := func(c LinkConfig) (got []string, counters string) {
		w, ls := listeners(t, Config{Seed: 9, Link: c}, 2)
		for i := range 1000 {
			ls[0].env.Send(2, []byte(fmt.Sprint(i)))
		}
		w.RunFor(time.Hour)
		return ls[1].got, fmt.Sprint(w.Counters())
	}
	got, counters := rate(LinkConfig{Loss: 200_000})
	require.InDelta(t, 800, len(got), 50)
	require.Contains(t, counters, fmt.Sprintf("{net.lost %d}", 1000-len(got)))
	got, counters = rate(LinkConfig{Duplicate: 200_000, Late: Table{0, time.Second}})
	require.InDelta(t, 1200, len(got), 50)
	require.Contains(t, counters, fmt.Sprintf("{net.duplicated %d}", len(got)-1000))
	got, _ = rate(LinkConfig{Reorder: 200_000, Late: Table{0, time.Second}})
	require.Len(t, got, 1000)
	require.NotEqual(t, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19", strings.Join(got[:20], " "))
	got, _ = rate(LinkConfig{})
	require.Equal(t, "0 1 2 3", strings.Join(got[:4], " "))
}

func TestCutsAreOneWayAndAddUp(t *testing.T) {
	w, ls := listeners(t, Config{}, 2)
	l := w.Net().Link(1, 2)
	l.Cut()
	w.Net().Isolate(2)
	ls[0].env.Send(2, []byte("lost"))
	w.RunFor(time.Second)
	w.Net().Rejoin(2)
	ls[0].env.Send(2, []byte("lost too"))
	ls[1].env.Send(1, []byte("against the cut"))
	w.RunFor(time.Second)
	require.Equal(t, []string{"against the cut"}, ls[0].got)
	l.Mend()
	ls[0].env.Send(2, []byte("heard"))
	w.RunFor(time.Second)
	require.Equal(t, []string{"heard"}, ls[1].got)
}

func TestACutLosesWhatIsUnderWay(t *testing.T) {
	w, ls := listeners(t, Config{Link: LinkConfig{Delay: Table{time.Second}}}, 2)
	ls[0].env.Send(2, []byte("x"))
	w.RunFor(time.Millisecond)
	w.Net().Partition([]Addr{1}, []Addr{2})
	w.RunFor(2 * time.Second)
	w.Net().Unite([]Addr{1}, []Addr{2})
	w.RunFor(2 * time.Second)
	require.Empty(t, ls[1].got)
}

func TestPartitionsLeaveBridges(t *testing.T) {
	w, ls := listeners(t, Config{}, 3)
	w.Net().Partition([]Addr{1}, []Addr{3})
	for _, from := range []int{0, 1, 2} {
		for to := Addr(1); to <= 3; to++ {
			ls[from].env.Send(to, []byte(fmt.Sprintf("%d-%d", from+1, to)))
		}
	}
	w.RunFor(time.Second)
	require.ElementsMatch(t, []string{"1-1", "2-1"}, ls[0].got)
	require.ElementsMatch(t, []string{"1-2", "2-2", "3-2"}, ls[1].got)
	require.ElementsMatch(t, []string{"2-3", "3-3"}, ls[2].got)
	w.Net().Heal()
	ls[0].env.Send(3, []byte("healed"))
	w.RunFor(time.Second)
	require.Contains(t, ls[2].got, "healed")
}

func TestACloggedLinkHoldsAndReleasesInOrder(t *testing.T) {
	w, ls := listeners(t, Config{Link: LinkConfig{Delay: Table{time.Millisecond}}}, 2)
	l := w.Net().Link(1, 2)
	ls[0].env.Send(2, []byte("under way"))
	l.Clog()
	l.Clog()
	ls[0].env.Send(2, []byte("sent"))
	w.RunFor(time.Second)
	l.Release()
	w.RunFor(time.Second)
	require.Empty(t, ls[1].got)
	l.Release()
	w.RunFor(time.Second)
	require.ElementsMatch(t, []string{"under way", "sent"}, ls[1].got)
}

func TestASlowLinkIsSlow(t *testing.T) {
	w, ls := listeners(t, Config{Link: LinkConfig{Delay: Table{time.Millisecond}}}, 2)
	w.Net().Link(1, 2).Slow(1000)
	ls[0].env.Send(2, []byte("x"))
	w.RunFor(999 * time.Millisecond)
	require.Empty(t, ls[1].got)
	w.RunFor(2 * time.Millisecond)
	require.Len(t, ls[1].got, 1)
}

func TestMessagesReachTheNextLife(t *testing.T) {
	w, ls := listeners(t, Config{Link: LinkConfig{Delay: Table{time.Second}}}, 2)
	ls[0].env.Send(2, []byte("for the next life"))
	w.Machine(2).Crash()
	w.Machine(1).Crash() // the sender may be dead too
	w.Machine(2).StartAfter(500 * time.Millisecond)
	w.RunFor(2 * time.Second)
	require.Equal(t, []string{"for the next life"}, ls[1].got)
	require.Equal(t, 2, w.Machine(2).Lives())

	w.Machine(1).Start()
	w.RunFor(time.Millisecond)
	ls[0].env.Send(2, []byte("for no life"))
	w.Machine(2).Crash()
	w.RunFor(2 * time.Second)
	require.Len(t, ls[1].got, 1)
}

func TestClientsHaveAddressesOfTheirOwn(t *testing.T) {
	w, ls := listeners(t, Config{}, 1)
	c := &listener{}
	w.Add(MachineConfig{Addr: FirstClient, Process: func() Process { return c }}).Start()
	w.RunFor(time.Millisecond)
	ls[0].env.Send(FirstClient, []byte("to the client"))
	ls[0].env.Send(FirstClient+1, []byte("to no machine"))
	ls[0].env.Send(0, []byte("to no machine"))
	c.env.Send(1, []byte("to the replica"))
	w.RunFor(time.Second)
	require.Equal(t, []string{"to the client"}, c.got)
	require.Equal(t, []string{"to the replica"}, ls[0].got)
	require.Equal(t, "c1 n1 -", fmt.Sprint(FirstClient, Addr(1), Addr(0)))
	require.Panics(t, func() { w.Add(MachineConfig{Addr: 7}) })
	require.Panics(t, func() { w.Net().Link(1, 9) })
	require.Panics(t, func() { w.Net().SetDefault(LinkConfig{Delay: Table{2, 1}}) })
}

func TestAFullInboxLosesMessages(t *testing.T) {
	w := New(Config{})
	defer w.Close()
	a, b := &listener{}, &listener{}
	w.Add(MachineConfig{Process: func() Process { return a }}).Start()
	m := w.Add(MachineConfig{Inbox: 3, Process: func() Process { return b }})
	m.Start()
	w.RunFor(time.Millisecond)
	m.Pause()
	for i := range 5 {
		a.env.Send(2, []byte(fmt.Sprint(i)))
	}
	w.RunFor(time.Second)
	m.Resume()
	w.RunFor(time.Second)
	require.Equal(t, []string{"0", "1", "2"}, b.got)
	a.env.Send(2, []byte("5"))
	w.RunFor(time.Second)
	require.Equal(t, []string{"0", "1", "2", "5"}, b.got)
}
