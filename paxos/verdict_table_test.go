package paxos

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The value rule, case by case (PMS §2.2 P2c, P2.03, F0.3), in a group of five
// where a quorum is three. Each member that told all says of the slot: nothing
// (-), a value at a ballot, or that the value at a ballot is unreadable (?).
func TestVerdictTable(t *testing.T) {
	const wait = "wait"
	for _, c := range []struct {
		claim string
		votes []string
		value string
	}{
		{"a quorum of nothing is free", []string{"-", "-", "-"}, "noop"},
		{"one vote decides", []string{"-", "a1", "-"}, "a"},
		{"the highest ballot decides, not the first", []string{"a1", "b2", "-"}, "b"},
		{"nor the last", []string{"b2", "a1", "-"}, "b"},
		{"nor the most frequent", []string{"a1", "a1", "b2"}, "b"},
		{"nor the most frequent of all", []string{"a1", "a1", "a1", "a1", "b2"}, "b"},
		{"a no-op is a value like any other", []string{"a1", "noop2", "-"}, "noop"},
		{"one unreadable vote of three is not nothing", []string{"-", "-", "?1"}, wait},
		{"nor are two", []string{"-", "?1", "?1"}, wait},
		{"nor all", []string{"?1", "?1", "?1"}, wait},
		{"three of four have nothing: they are a quorum", []string{"-", "-", "-", "?1"}, "noop"},
		{"three of five have nothing: they are a quorum", []string{"?1", "-", "-", "-", "?2"}, "noop"},
		{"two of four are none", []string{"?1", "-", "-", "?2"}, wait},
		{"a readable vote at the ballot of the unreadable one has its value", []string{"a1", "?1", "-"}, "a"},
		{"a readable vote above it has the value phase 1 demanded then", []string{"a2", "?1", "-"}, "a"},
		{"a readable vote below it may be another value", []string{"a1", "?2", "-"}, wait},
		{"the highest unreadable ballot counts", []string{"a2", "?1", "?3"}, wait},
		{"the highest readable ballot counts", []string{"a3", "b1", "?2"}, "a"},
		{"a readable quorum decides over an unreadable vote above", []string{"a1", "-", "-", "?2"}, "a"},
	} {
		var v verdict
		for _, w := range c.votes {
			if w != "-" {
				v.add(parseVote(w))
			}
		}
		value, ok := v.chooseValue(len(c.votes), 3)
		got := wait
		if ok {
			got = readable(value)
		}
		require.Equal(t, c.value, got, "%s: %v", c.claim, c.votes)
	}
}

// A candidate with the complete answers of a quorum waits only for a slot that these answers
// leave open (I-P5).
func TestNoCandidateWaitsForDecidedSlots(t *testing.T) {
	for _, c := range []struct {
		claim string
		slots [][]string // what the members say of slot 1, 2
		waits bool
		named string // what the report says of the first slot with an unreadable vote
	}{
		{"nothing is unreadable", [][]string{{"a1", "-", "-"}}, false, ""},
		{"no quorum has told", [][]string{{"?1", "-"}}, true, ""},
		{"none can say", [][]string{{"?1", "-", "-"}}, true, ""},
		{"a vote below may be another value", [][]string{{"a1", "?2", "-"}}, true, ""},
		{"at the same ballot it is not", [][]string{{"a1", "?1", "-"}}, false, "; slot 1: node 1 has a vote at 1.1, node 2 has an unreadable vote at 1.1, node 3 has no vote"},
		{"nor above", [][]string{{"a3", "?1", "?2"}}, false, "; slot 1: node 1 has a vote at 3.1, node 2 has an unreadable vote at 1.1, node 3 has an unreadable vote at 2.1"},
		{"the highest counts", [][]string{{"a3", "?4", "?2"}}, true, ""},
		{"a quorum can read", [][]string{{"?4", "a1", "-", "-"}}, false, "; slot 1: node 1 has an unreadable vote at 4.1, node 2 has a vote at 1.1, node 3 has no vote, node 4 has no vote"},
		{"one slot waits, one need not", [][]string{{"a1", "?1", "-"}, {"?1", "-", "-"}}, true, ""},
		{"neither need", [][]string{{"a1", "?1", "-"}, {"-", "b2", "?2"}}, false, "; slot 1: node 1 has a vote at 1.1, node 2 has an unreadable vote at 1.1, node 3 has no vote"},
	} {
		r := newRig(t, 5)
		b := newCampaign(Ballot{Round: 9, Node: 1}, 1, r.node.members.at(1))
		for i := range c.slots[0] {
			b.answers[i].next = MaxSlot
			for s := range c.slots {
				if w := c.slots[s][i]; w != "-" {
					v := parseVote(w)
					v.Slot = Slot(s + 1)
					b.answers[i].votes = append(b.answers[i].votes, v)
				}
			}
		}
		judge := func() { r.node.verifyWaits(b) }
		if c.waits {
			require.NotPanics(t, judge, c.claim)
			_, ok := b.result()
			require.False(t, ok, c.claim)
		} else {
			require.PanicsWithError(t, "invariant I-P5 broken: node 1 waits to lead at 9.1 although the answers of "+fmt.Sprint(len(c.slots[0]))+" members decide every slot"+c.named, judge, c.claim)
			_, ok := b.result()
			require.True(t, ok, c.claim)
		}
	}
}

func parseVote(s string) Vote {
	b := Ballot{Round: uint64(s[len(s)-1] - '0'), Node: 1}
	switch value := s[:len(s)-1]; value {
	case "?":
		return Vote{Slot: 1, Ballot: b, Lost: true}
	case "noop":
		return Vote{Slot: 1, Ballot: b}
	default:
		return Vote{Slot: 1, Ballot: b, Value: Batch([]byte(value))}
	}
}

func readable(v Value) string {
	for _, c := range v.Commands {
		return c
	}
	return "noop"
}

// The order in which members answer does not matter.
func TestVerdictDoesNotDependOnOrder(t *testing.T) {
	all := []string{"a1", "b2", "?1", "?2", "noop3", "a3"}
	for i := range all {
		for j := range all {
			for k := range all {
				if all[i][0] != '?' && all[j][0] != '?' && all[i][len(all[i])-1] == all[j][len(all[j])-1] && all[i] != all[j] {
					continue // two values at one ballot: not a state of the protocol
				}
				var forth, back verdict
				for _, w := range []string{all[i], all[j], all[k]} {
					forth.add(parseVote(w))
				}
				for _, w := range []string{all[k], all[j], all[i]} {
					back.add(parseVote(w))
				}
				require.Equal(t, forth.unreadable, back.unreadable)
				require.Equal(t, forth.lostBallot, back.lostBallot)
				require.Equal(t, forth.best.Ballot, back.best.Ballot)
			}
		}
	}
}

// Pages of one member: which tell something new, and what is asked next.
func TestCampaignPages(t *testing.T) {
	b := Ballot{2, 1}
	at := func(s Slot) Vote { return Vote{Slot: s, Ballot: Ballot{1, 1}, Value: "\x01a"} }
	for _, c := range []struct {
		claim string
		known Slot // first open slot, as learnt meanwhile
		page  Range
		votes []Vote
		fresh bool
		next  Slot
		kept  int
	}{
		{"the page asked for", 1, Range{5, 9}, []Vote{at(5), at(8)}, true, 9, 2},
		{"the last page", 1, Range{5, MaxSlot}, []Vote{at(6)}, true, MaxSlot, 1},
		{"a page beyond leaves a gap", 1, Range{6, 9}, []Vote{at(6)}, false, 5, 0},
		{"a page from before", 1, Range{1, 5}, []Vote{at(2)}, false, 5, 0},
		{"a page that overlaps", 1, Range{3, 9}, []Vote{at(3), at(7)}, true, 9, 1},
		{"slots known by now are not asked for", 8, Range{5, 9}, []Vote{at(5), at(8)}, true, 9, 1},
		{"a gap that was closed by learning", 7, Range{7, MaxSlot}, []Vote{at(9)}, true, MaxSlot, 1},
		{"a page of slots that are all known by now", 9, Range{5, 9}, []Vote{at(5)}, false, 9, 0},
	} {
		p := newCampaign(b, 5, NewGroup([]NodeID{1, 2, 3}))
		p.skipBelow(c.known)
		require.Equal(t, c.fresh, p.addPage(2, Promise{Ballot: b, Page: c.page, Votes: c.votes}), c.claim)
		require.Equal(t, c.next, p.nextSlot(2), c.claim)
		require.Len(t, p.answers[1].votes, c.kept, c.claim)
		require.False(t, p.addPage(2, Promise{Ballot: b, Page: c.page, Votes: c.votes}), "%s: a duplicate", c.claim)
		require.False(t, p.addPage(9, Promise{Ballot: b, Page: Range{5, MaxSlot}}), "a stranger")
		require.False(t, p.addPage(3, Promise{Ballot: Ballot{1, 1}, Page: Range{5, MaxSlot}}), "another ballot")
	}
}
