package events

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func reads(client int64, token uint64) Access {
	return Access{Client: client, Token: token, Accepted: true}
}

func writes(client int64, token, version, base uint64) Access {
	return Access{Client: client, Write: true, Token: token, Version: version, Base: base, Accepted: true}
}

func refusing(a Access) Access {
	a.Accepted = false
	return a
}

func TestFencingIsJudged(t *testing.T) {
	type all = []Access
	requireFindings(t, CheckFencing, []findingCase[Access]{
		{"one after the other", all{reads(1, 33), writes(1, 33, 1, 0), reads(2, 34), writes(2, 34, 2, 1), reads(2, 34), writes(2, 34, 3, 2)}, nil, nil},
		{"a stale write is refused", all{reads(1, 33), reads(2, 34), refusing(writes(1, 33, 1, 0)), writes(2, 34, 2, 0)}, nil, nil},
		{"a stale write after a write",
			all{reads(1, 33), reads(2, 34), writes(2, 34, 1, 0), writes(1, 33, 2, 0)},
			[]FindingKind{WriteBelowRead, WriteBelowWrite, LostUpdate}, [][]int{{1, 3}, {2, 3}, {2, 3}}},
		{"the hole of a check on writes only", // the mark rises too late: the first write is lost
			all{reads(1, 33), reads(2, 34), writes(1, 33, 1, 0), writes(2, 34, 2, 0)},
			[]FindingKind{WriteBelowRead, LostUpdate}, [][]int{{1, 2}, {2, 3}}},
		{"a stale read", all{reads(2, 34), reads(1, 33), writes(2, 35, 1, 0), reads(1, 34)},
			[]FindingKind{ReadBelowRead, ReadBelowWrite}, [][]int{{0, 1}, {2, 3}}},
		{"no token at all", all{reads(1, 0), reads(2, 0), writes(1, 0, 1, 0), writes(2, 0, 2, 0)},
			[]FindingKind{LostUpdate}, [][]int{{2, 3}}},
		{"one write loses two", all{writes(1, 1, 1, 0), writes(1, 1, 2, 1), writes(2, 2, 3, 0)},
			[]FindingKind{LostUpdate, LostUpdate}, [][]int{{1, 2}, {0, 2}}},
		{"a lost write comes back with what was made from it", all{writes(1, 1, 1, 0), writes(2, 1, 2, 0), writes(1, 1, 3, 1)},
			[]FindingKind{LostUpdate, LostUpdate}, [][]int{{0, 1}, {1, 2}}},
		{"made from what never was", all{writes(1, 1, 1, 7)}, []FindingKind{Unfounded}, [][]int{{0}}},
		{"made from what was refused", all{refusing(writes(1, 1, 1, 0)), writes(1, 1, 2, 1)}, []FindingKind{Unfounded}, [][]int{{1}}},
		{"one version twice", all{writes(1, 1, 1, 0), writes(1, 1, 1, 1)}, []FindingKind{Unfounded}, [][]int{{1}}},
		{"a version without a name", all{writes(1, 1, 0, 0)}, []FindingKind{Unfounded}, [][]int{{0}}},
	})
}

func TestALostUpdateReadsLikeThis(t *testing.T) {
	a, b := writes(3, 33, 6, 0), writes(4, 34, 7, 0)
	a.At, b.At = 1_500_000_000, 2_000_000_000
	require.Equal(t, `an update is lost:
  client 3 wrote version 6, made from 0, with token 33 at 1.500000s
  client 4 wrote version 7, made from 0, with token 34 at 2.000000s, without having read it`, CheckFencing([]Access{a, b})[0].Text)
}

// TestLostUpdatesAreThoseThatAreMissing compares with a resource that holds a set to which every
// write adds its version: an accepted version that is missing at the end was lost.
func TestLostUpdatesAreThoseThatAreMissing(t *testing.T) {
	lost := 0
	for seed := range uint64(500) {
		p := splitMix(seed)
		sets := map[uint64]map[uint64]bool{0: {}}
		var accesses []Access
		present, saw := uint64(0), [3]uint64{}
		for v := uint64(1); v < 30; v++ {
			c := p(3)
			if p(2) == 0 {
				saw[c] = present
				accesses = append(accesses, reads(int64(c), 1))
				continue
			}
			set := map[uint64]bool{v: true}
			for u := range sets[saw[c]] {
				set[u] = true
			}
			sets[v], present = set, v
			accesses = append(accesses, writes(int64(c), 1, v, saw[c]))
		}
		missing := map[int]bool{}
		for _, f := range CheckFencing(accesses) {
			require.Equal(t, LostUpdate, f.Kind)
			missing[f.Events[0]] = true
		}
		for i, a := range accesses {
			// A missing version was lost. A lost version may be present again, as the base of a later write.
			if a.Write && !sets[present][a.Version] {
				require.True(t, missing[i], "seed %d, write %d", seed, a.Version)
				lost++
			}
		}
	}
	require.Greater(t, lost, 1000)
}

// resourceMode is a way in which a resource decides.
type resourceMode struct {
	name   string
	accept func(r *resource, a *Access) bool
	never  []FindingKind // findings that it must not have
	shows  []FindingKind // findings that it must have in some seed
}

type resource struct {
	read, written, present, owner uint64
}

// TestModesOfResourcesShowWhatTheyAreKnownFor lets holders overlap on a resource that decides in each of five ways, and
// checks the findings.
func TestModesOfResourcesShowWhatTheyAreKnownFor(t *testing.T) {
	below := []FindingKind{WriteBelowWrite, WriteBelowRead, ReadBelowWrite, ReadBelowRead}
	for _, m := range []resourceMode{
		{"no check", func(*resource, *Access) bool { return true }, nil, append(below, LostUpdate)},
		{"writes", func(r *resource, a *Access) bool { return !a.Write || a.Token >= r.written }, []FindingKind{WriteBelowWrite}, []FindingKind{LostUpdate, WriteBelowRead}},
		{"reads and writes", func(r *resource, a *Access) bool { return a.Token >= max(r.read, r.written) }, append(below, LostUpdate), nil},
		{"check, then act", func(r *resource, a *Access) bool { return !a.Write || a.Token+1 >= r.owner }, nil, []FindingKind{LostUpdate}},
		{"compare and set", func(r *resource, a *Access) bool { return !a.Write || a.Base == r.present }, []FindingKind{LostUpdate}, []FindingKind{WriteBelowRead}},
	} {
		t.Run(m.name, func(t *testing.T) {
			seen := map[FindingKind]bool{}
			for seed := range uint64(300) {
				for _, f := range CheckFencing(overlap(splitMix(seed), &m)) {
					seen[f.Kind] = true
				}
			}
			for _, k := range m.never {
				require.False(t, seen[k], k)
			}
			for _, k := range m.shows {
				require.True(t, seen[k], k)
			}
			require.False(t, seen[Unfounded])
		})
	}
}

// overlap makes three clients the owner in turn, while earlier owners continue. A new owner reads before it writes.
func overlap(p pick, m *resourceMode) (all []Access) {
	var r resource
	token, base, fresh := [3]uint64{}, [3]uint64{}, [3]bool{}
	for v := uint64(1); v < 40; v++ {
		c := p(3)
		if p(4) == 0 {
			r.owner++
			token[c], fresh[c] = r.owner, true
		}
		if token[c] == 0 {
			continue
		}
		a := Access{Client: int64(c), Token: token[c], Write: !fresh[c] && p(2) == 0, Version: v, Base: base[c]}
		if a.Accepted = m.accept(&r, &a); a.Accepted && a.Write {
			r.written, r.present, base[c] = max(r.written, a.Token), v, v
		} else if a.Accepted {
			r.read, base[c], fresh[c] = max(r.read, a.Token), r.present, false
		}
		all = append(all, a)
	}
	return all
}
