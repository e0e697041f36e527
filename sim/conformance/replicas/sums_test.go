package replicas

import (
	"testing"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
)

func TestS6WhoIsTheMinorityStops(t *testing.T) {
	type told struct {
		from paxos.NodeID
		slot paxos.Slot
		sum  uint64
	}
	for name, c := range map[string]struct {
		others []told
		breaks string
	}{
		"nobody":                   {nil, ""},
		"one has the same":         {[]told{{2, 9, 1}, {3, 9, 2}, {4, 9, 2}}, ""},
		"three have others":        {[]told{{2, 9, 2}, {3, 9, 2}, {4, 9, 3}}, "S6"},
		"three, of other slots":    {[]told{{2, 8, 2}, {3, 9, 2}, {4, 9, 3}}, ""},
		"one of them went on":      {[]told{{2, 9, 2}, {3, 9, 2}, {4, 9, 3}, {4, 10, 3}}, ""},
		"one of them said it late": {[]told{{2, 9, 2}, {3, 9, 2}, {4, 9, 3}, {4, 8, 3}}, "S6"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFacts(t)
			s := sums{mine: core.SumReport{Slot: 9, Sum: db.Sum{A: 1}}}
			for _, o := range c.others {
				s.hears(o.from, core.SumReport{Slot: o.slot, Sum: db.Sum{A: o.sum}})
			}
			s.goesOn(f.w, 1, 5)
			if c.breaks == "" {
				f.good()
				return
			}
			f.breaks(c.breaks)
		})
	}
}
