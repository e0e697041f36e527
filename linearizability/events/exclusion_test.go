package events

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func held(at int64, kind HoldKind, holder string) HoldEvent {
	return HoldEvent{At: at, Kind: kind, Path: "/a", Instance: 3, Holder: holder}
}

func grants(at int64, holder string, gen uint64) HoldEvent {
	e := held(at, HoldGranted, holder)
	e.Gen = gen
	return e
}

func joint(e HoldEvent) HoldEvent {
	e.Shared = true
	return e
}

func until(e HoldEvent, at int64) HoldEvent {
	e.Until = at
	return e
}

func TestExclusionIsJudged(t *testing.T) {
	type all = []HoldEvent
	another := grants(2, "y", 1)
	another.Instance = 4
	fails := until(held(2, HoldFailed, "x"), 32)
	requireFindings(t, CheckExclusion, []findingCase[HoldEvent]{
		{"one after the other", all{grants(1, "x", 5), held(2, HoldReleased, "x"), grants(3, "y", 6), held(4, HoldReleased, "y"), grants(5, "x", 9)}, nil, nil},
		{"readers together", all{joint(grants(1, "x", 5)), joint(grants(2, "y", 5)), held(3, HoldReleased, "x"), joint(grants(4, "z", 5))}, nil, nil},
		{"other instance", all{grants(1, "x", 5), another}, nil, nil},
		{"after the delay", all{grants(1, "x", 5), fails, grants(32, "y", 6)}, nil, nil},
		{"a failure without delay", all{grants(1, "x", 5), held(2, HoldFailed, "x"), grants(2, "y", 6)}, nil, nil},
		{"two writers", all{grants(1, "x", 5), grants(2, "y", 5)}, []FindingKind{ConflictingHolds}, [][]int{{0, 1}}},
		{"a writer and a reader", all{joint(grants(1, "x", 5)), grants(2, "y", 5)}, []FindingKind{ConflictingHolds}, [][]int{{0, 1}}},
		{"a reader and a writer", all{grants(1, "x", 5), joint(grants(2, "y", 5))}, []FindingKind{ConflictingHolds}, [][]int{{0, 1}}},
		{"a writer and two readers", all{joint(grants(1, "x", 5)), joint(grants(2, "y", 5)), grants(3, "z", 5)},
			[]FindingKind{ConflictingHolds, ConflictingHolds}, [][]int{{0, 2}, {1, 2}}},
		{"inside the delay", all{grants(1, "x", 5), fails, grants(31, "y", 6)}, []FindingKind{EarlyGrant}, [][]int{{1, 2}}},
		{"a reader joins inside the delay of another", all{joint(grants(1, "x", 5)), joint(grants(1, "y", 5)), fails, joint(grants(31, "z", 5))}, []FindingKind{EarlyGrant}, [][]int{{2, 3}}},
		{"the longer of two delays", all{joint(grants(1, "x", 5)), joint(grants(1, "y", 5)), fails, until(held(2, HoldFailed, "y"), 40), grants(35, "z", 6)},
			[]FindingKind{EarlyGrant}, [][]int{{3, 4}}},
		{"the generation stays", all{grants(1, "x", 5), held(2, HoldReleased, "x"), grants(3, "y", 5)}, []FindingKind{StuckGeneration}, [][]int{{0, 2}}},
		{"the generation falls", all{grants(1, "x", 5), held(2, HoldReleased, "x"), grants(3, "y", 4)}, []FindingKind{StuckGeneration}, [][]int{{0, 2}}},
		{"the generation moves for a reader", all{joint(grants(1, "x", 5)), joint(grants(2, "y", 6))}, []FindingKind{MovedGeneration}, [][]int{{0, 1}}},
		{"granted after the deletion", all{grants(1, "x", 5), held(2, HoldForgotten, ""), grants(3, "y", 6)}, []FindingKind{LateGrant}, [][]int{{1, 2}}},
		{"granted to its holder", all{grants(1, "x", 5), grants(2, "x", 6)}, []FindingKind{Unfounded}, [][]int{{0, 1}}},
		{"released by a handle that has it not", all{grants(1, "x", 5), held(2, HoldReleased, "y")}, []FindingKind{Unfounded}, [][]int{{1}}},
		{"failed twice", all{grants(1, "x", 5), fails, fails}, []FindingKind{Unfounded}, [][]int{{2}}},
	})
}

func TestAnEarlyGrantReadsLikeThis(t *testing.T) {
	found := CheckExclusion([]HoldEvent{grants(1e9, "c1/4", 5), until(held(2e9, HoldFailed, "c1/4"), 32e9), grants(31e9, "c2/7", 6)})
	require.Equal(t, `/a#3 is granted inside a lock-delay:
  2.000000s: c1/4 failed, delay until 32.000000s
  31.000000s: granted to c2/7, exclusive, generation 6`, found[0].Text)
}
