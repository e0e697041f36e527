package events

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/linearizability/history"
)

func claim(holder string, from, to int64) HoldClaim {
	return HoldClaim{Holder: holder, Path: "/a", Instance: 3, From: from, To: to}
}

func shares(b HoldClaim) HoldClaim {
	b.Shared = true
	return b
}

func TestHoldClaimsAreChecked(t *testing.T) {
	type all = []HoldClaim
	other, again := claim("y", 5, 9), claim("y", 5, 9)
	other.Path, again.Instance = "/b", 4
	both := []FindingKind{ConflictingClaims}
	requireFindings(t, CheckHoldClaims, []findingCase[HoldClaim]{
		{"one after the other", all{claim("x", 1, 5), claim("y", 5, 9)}, nil, nil},
		{"given in another order", all{claim("y", 5, 9), claim("x", 1, 5)}, nil, nil},
		{"an instant in common", all{claim("y", 5, 9), claim("x", 1, 6)}, both, [][]int{{1, 0}}},
		{"one within the other", all{claim("x", 1, 9), claim("y", 3, 4)}, both, [][]int{{0, 1}}},
		{"from the same instant", all{claim("x", 1, 3), claim("y", 1, 9)}, both, [][]int{{0, 1}}},
		{"to the end", all{claim("x", 1, history.Never), claim("y", 5, history.Never)}, both, [][]int{{0, 1}}},
		{"two readers", all{shares(claim("x", 1, 9)), shares(claim("y", 3, 4))}, nil, nil},
		{"a reader and a writer", all{shares(claim("x", 1, 9)), claim("y", 3, 4)}, both, [][]int{{0, 1}}},
		{"a writer and two readers", all{claim("w", 1, 9), shares(claim("x", 2, 5)), shares(claim("y", 3, 4))},
			[]FindingKind{ConflictingClaims, ConflictingClaims}, [][]int{{0, 1}, {0, 2}}},
		{"the same holder twice", all{claim("x", 1, 9), claim("x", 3, 4)}, nil, nil},
		{"other locks", all{claim("x", 1, 9), other, again}, nil, nil},
		{"an empty interval", all{claim("x", 1, 9), claim("y", 3, 3)}, nil, nil},
		{"backwards", all{claim("x", 9, 1)}, []FindingKind{Unfounded}, [][]int{{0}}},
	})
}

func TestConflictingClaimsReadLikeThis(t *testing.T) {
	found := CheckHoldClaims([]HoldClaim{claim("c1/4", 1e9, 4e9), shares(claim("c2/7", 3.5e9, history.Never))})
	require.Equal(t, `two holders claim /a#3, in modes that exclude each other, from 3.500000s to 4.000000s:
  c1/4 exclusive from 1.000000s to 4.000000s
  c2/7 shared from 3.500000s to the end`, found[0].Text)
}

// TestHoldClaimsAreComparedEachWithEach compares the findings with the definition, instant by instant.
func TestHoldClaimsAreComparedEachWithEach(t *testing.T) {
	bad := 0
	for seed := range uint64(2000) {
		p := splitMix(seed)
		var all []HoldClaim
		for range 2 + p(6) {
			from := int64(p(12))
			all = append(all, HoldClaim{
				Holder: string(rune('x' + p(3))), Path: string(rune('a' + p(2))), Shared: p(2) == 0, From: from, To: from + int64(p(5)),
			})
		}
		want := map[[2]int]bool{}
		for i := range all {
			for j := range i {
				for at := range int64(20) {
					a, b := &all[i], &all[j]
					if a.Path == b.Path && a.Holder != b.Holder && !(a.Shared && b.Shared) && a.From <= at && at < a.To && b.From <= at && at < b.To {
						want[[2]int{j, i}] = true
					}
				}
			}
		}
		got := map[[2]int]bool{}
		for _, f := range CheckHoldClaims(all) {
			got[[2]int{min(f.Events[0], f.Events[1]), max(f.Events[0], f.Events[1])}] = true
		}
		require.Equal(t, want, got, "seed %d", seed)
		bad += len(want)
	}
	require.Greater(t, bad, 500)
}
