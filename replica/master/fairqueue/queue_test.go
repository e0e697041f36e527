package fairqueue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
)

var start = time.Unix(100, 0)

func limits() Limits { return Limits{Commands: 8, Bytes: 1000} }

// joins queues commands of ten bytes: "a1 a2 b1" are two of principal a, then one of b.
func joins(q *Queue[string], all string) {
	for x := range strings.FieldsSeq(all) {
		q.Join(api.Principal(strings.Trim(x[:1], "-")), x, 10)
	}
}

func taken(q *Queue[string], now time.Time, room int) string {
	return strings.Join(q.Take(now, room), " ")
}

// A new principal waits for one command of each of the others, however many they have.
func TestWhoAsksMoreWaitsForHisOwn(t *testing.T) {
	q := New[string](limits())
	joins(q, "a1 a2 a3 a4 b1 b2 c1")
	require.Equal(t, "a1 b1 c1 a2", taken(q, start, 4))
	joins(q, "d1")
	require.Equal(t, "b2 a3 d1 a4", taken(q, start, 9))
	require.Zero(t, q.Waiting())
	require.NoError(t, q.Audit())
}

func TestALogWithoutRoomIsGivenNothing(t *testing.T) {
	q := New[string](limits())
	joins(q, "a1")
	require.Empty(t, q.Take(start, 0))
	require.Empty(t, q.Take(start, -3))
	require.Equal(t, 1, q.Of("a"))
}

// A principal with something in the log waits until all of it is applied; the others do not.
func TestWhoHasCommandsInTheLogSendsNoMore(t *testing.T) {
	q := New[string](limits())
	q.SetApart(true)
	joins(q, "a1 a2 a3")
	require.Equal(t, "a1", taken(q, start, 9))
	joins(q, "b1")
	require.Equal(t, "b1", taken(q, start, 9))
	require.Equal(t, 3, q.Of("a"))
	q.Done(start.Add(time.Millisecond), "a")
	require.Equal(t, "a2 a3", taken(q, start, 9), "the log is quick")
	q.Done(start, "a")
	joins(q, "a4")
	require.Empty(t, taken(q, start, 9), "a3 is in the log")
	q.Done(start, "a")
	require.Equal(t, "a4", taken(q, start, 9))
	require.NoError(t, q.Audit())
}

// A principal that is alone has the log for itself, as soon as the others have gone.
func TestWhoIsAloneWaitsForNobody(t *testing.T) {
	q := New[string](limits())
	q.SetApart(true)
	joins(q, "a1 a2 a3")
	require.Equal(t, "a1", taken(q, start, 9))
	q.SetApart(false)
	require.Equal(t, "a2 a3", taken(q, start, 9))
	require.NoError(t, q.Audit())
}

// The commands of System take turns, and the rule "apart" does not hold them up.
func TestTheHouseWaitsForTurnsOnly(t *testing.T) {
	q := New[string](limits())
	q.SetApart(true)
	joins(q, "-1 -2 -3 a1")
	require.Equal(t, "-1 a1 -2", taken(q, start, 3))
	require.Equal(t, "-3", taken(q, start, 3))
	require.Zero(t, q.Of(System))
	q.Done(start, System)
	require.NoError(t, q.Audit())
}

// A batch holds no more than a slot. A command that is longer goes alone.
func TestABatchIsNoLargerThanASlot(t *testing.T) {
	q := New[string](Limits{Commands: 3, Bytes: 100})
	q.SetApart(true)
	q.pace.size = 3
	joins(q, "a1 a2 a3 a4")
	q.Join("b", "b1", 500)
	q.Join("b", "b2", 60)
	q.Join("c", "c1", 60)
	q.Join("c", "c2", 60)
	require.Equal(t, "a1 b1 c1 a2 a3", taken(q, start, 99))
}

// Batches grow while their rounds are quick, and shrink when rounds take longer.
func TestBatchesAreAsLargeAsDisturbsNobody(t *testing.T) {
	p := pace{most: 8, size: 1}
	for range 20 {
		p.took(3 * time.Millisecond)
	}
	require.Equal(t, 8, p.size)
	p.took(9 * time.Millisecond)
	require.Equal(t, 8, p.size, "the pace stays")
	for range 4 {
		p.took(11 * time.Millisecond)
	}
	require.Equal(t, 1, p.size)

	far := pace{most: 8, size: 1}
	for range 20 {
		far.took(80 * time.Millisecond)
	}
	require.Equal(t, 8, far.size, "replicas that are far away are not a crowd")
	far.took(121 * time.Millisecond)
	require.Equal(t, 4, far.size)
	far.took(0)
	far.took(-time.Second)
	require.Equal(t, 4, far.size, "that says nothing")
}

// A log that has become slower is not taken for a crowded one for ever.
func TestALogThatBecameSlowerIsNotCrowdedForEver(t *testing.T) {
	p := pace{most: 8, size: 1}
	p.took(20 * time.Millisecond)
	for range 2 * aging {
		p.took(60 * time.Millisecond)
	}
	require.Equal(t, 8, p.size)
}

// Each command is taken once, and those of one principal in their order; an idle principal is forgotten;
// the audit finds no fault.
func TestCommandsOfAPrincipalKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := New[string](Limits{Commands: rapid.IntRange(1, 4).Draw(t, "commands"), Bytes: 100})
		now := start
		joined, got, inLog := map[api.Principal]int{}, map[api.Principal]int{}, map[api.Principal]int{}
		who := rapid.SampledFrom([]api.Principal{"a", "b", "c", System})
		t.Repeat(map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				w := who.Draw(t, "who")
				joined[w]++
				q.Join(w, fmt.Sprintf("%s %d", w, joined[w]), rapid.IntRange(1, 150).Draw(t, "bytes"))
			},
			"take": func(t *rapid.T) {
				for _, x := range q.Take(now, rapid.IntRange(0, 5).Draw(t, "room")) {
					name, _, _ := strings.Cut(x, " ")
					w := api.Principal(name)
					got[w]++
					require.Equal(t, fmt.Sprintf("%s %d", w, got[w]), x)
					if w != System {
						inLog[w]++
					}
				}
			},
			"done": func(t *rapid.T) {
				w := who.Draw(t, "who")
				now = now.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "ms")) * time.Millisecond)
				q.Done(now, w)
				inLog[w] = max(0, inLog[w]-1)
			},
			"apart": func(t *rapid.T) { q.SetApart(rapid.Bool().Draw(t, "apart")) },
			"": func(t *rapid.T) {
				require.NoError(t, q.Audit())
				busy := 0
				for _, w := range []api.Principal{"a", "b", "c", System} {
					n := joined[w] - got[w] + inLog[w]
					require.Equal(t, n, q.Of(w), "%q", w)
					if n > 0 {
						busy++
					}
				}
				require.Equal(t, busy, q.Principals())
			},
		})
		for range 100 { // whatever happened, all commands get their turn
			q.Take(now, 5)
			for _, w := range []api.Principal{"a", "b", "c"} {
				for range 5 {
					q.Done(now, w)
				}
			}
		}
		require.Zero(t, q.Waiting())
	})
}

// The audit finds each invariant when it is broken.
func TestTheAuditFindsWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		want string
		do   func(q *Queue[string])
	}{
		"an idle principal":         {"I-J1", func(q *Queue[string]) { q.flows["x"] = &flow[string]{who: "x"} }},
		"less than nothing":         {"I-J3", func(q *Queue[string]) { q.flows["a"].inLog = -1 }},
		"the house in the log":      {"I-J3", func(q *Queue[string]) { q.flows[System].inLog = 1 }},
		"no turn":                   {"I-J2", func(q *Queue[string]) { q.flows["a"].turn = false }},
		"a turn for nothing":        {"I-J2", func(q *Queue[string]) { q.flows["a"].items, q.flows["a"].inLog = nil, 1 }},
		"two turns":                 {"I-J2", func(q *Queue[string]) { q.turns = append(q.turns, q.turns[0]) }},
		"another flow's turn":       {"I-J2", func(q *Queue[string]) { q.turns[0] = &flow[string]{who: "a", turn: true} }},
		"a turn that was forgotten": {"I-J3", func(q *Queue[string]) { q.turns = q.turns[1:] }},
		"more than are counted":     {"I-J3", func(q *Queue[string]) { q.waiting-- }},
	} {
		t.Run(name, func(t *testing.T) {
			q := New[string](limits())
			joins(q, "a1 b1 -1")
			require.NoError(t, q.Audit())
			c.do(q)
			require.ErrorContains(t, q.Audit(), c.want)
		})
	}
}

// Commands that are given up leave the queue; the others keep their order, and a principal with nothing
// left has no turn.
func TestWhatIsGivenUpLeavesTheLine(t *testing.T) {
	q := New[string](limits())
	joins(q, "a1 b1 a2 a3 b2 a4")
	even := func(x string) bool { return x == "a2" || x == "a4" || x == "b2" }
	require.Equal(t, []string{"a2", "a4"}, q.Drop("a", even))
	require.NoError(t, q.Audit())
	require.Equal(t, 4, q.Waiting())
	require.Empty(t, q.Drop("a", even))
	require.Empty(t, q.Drop("c", even))
	require.Equal(t, "a1 b1 a3 b2", taken(q, start, 9))

	q.SetApart(true)
	joins(q, "a5 c1")
	require.Equal(t, "c1", taken(q, start, 9), "a has something in the log")
	require.Equal(t, []string{"a5"}, q.Drop("a", func(string) bool { return true }))
	require.NoError(t, q.Audit())
	require.Equal(t, 2, q.Of("a"), "what is in the log stays there")
	joins(q, "d1")
	require.Equal(t, []string{"d1"}, q.Drop("d", func(string) bool { return true }))
	require.NoError(t, q.Audit())
	require.Zero(t, q.Of("d"))
	require.Empty(t, q.Take(start, 9))
}
