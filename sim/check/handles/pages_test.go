package handles

import (
	"testing"

	"github.com/chubbycell/chubby/replica/api"
)

func TestS4APageHoldsWhatWasAskedFor(t *testing.T) {
	list := func(n int) api.Result {
		return api.Result{Code: api.OK, Detail: api.Listing{Children: make([]api.Child, n)}}
	}
	for name, c := range map[string]struct {
		most   uint64
		n      int
		breaks bool
	}{
		"fewer":          {3, 2, false},
		"as many":        {3, 3, false},
		"one more":       {3, 4, true},
		"as many as fit": {0, 9, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t)
			k.answer("ann", 7, k.asks(7, "ann", 3, api.ReadDir{Handle: k.token, Most: c.most}), 3, list(c.n))
			if c.breaks {
				k.Breaks("S4")
			} else {
				k.Good()
			}
		})
	}
}
