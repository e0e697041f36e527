package replicas

import (
	"testing"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/sim/worldtest"
)

func TestS6AMinorityStops(t *testing.T) {
	type report struct {
		from paxos.NodeID
		slot paxos.Slot
		sum  uint64
	}
	for name, c := range map[string]struct {
		others []report
		breaks string
	}{
		"no report":                {nil, ""},
		"one has the same":         {[]report{{2, 9, 1}, {3, 9, 2}, {4, 9, 2}}, ""},
		"three have others":        {[]report{{2, 9, 2}, {3, 9, 2}, {4, 9, 3}}, "S6"},
		"three, of other slots":    {[]report{{2, 8, 2}, {3, 9, 2}, {4, 9, 3}}, ""},
		"one of them went on":      {[]report{{2, 9, 2}, {3, 9, 2}, {4, 9, 3}, {4, 10, 3}}, ""},
		"one of them said it late": {[]report{{2, 9, 2}, {3, 9, 2}, {4, 9, 3}, {4, 8, 3}}, "S6"},
	} {
		t.Run(name, func(t *testing.T) {
			f := worldtest.New(t)
			s := sums{own: core.SumReport{Slot: 9, Sum: db.Sum{A: 1}}}
			for _, o := range c.others {
				s.onPeerReport(o.from, core.SumReport{Slot: o.slot, Sum: db.Sum{A: o.sum}})
			}
			s.onActed(f.World, 1, 5)
			if c.breaks == "" {
				f.Good()
				return
			}
			f.Diverges(c.breaks)
		})
	}
}
