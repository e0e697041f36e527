package cell

import "github.com/chubbycell/chubby/sim/plan"

// FenceCount is what became of the increments of one seed.
type FenceCount struct {
	Mode    plan.FenceMode `json:"-"`
	Done    int            `json:"done"`    // that the resource accepted
	Lost    int            `json:"lost"`    // of them, those that its value does not hold at the end
	Refused int            `json:"refused"` // requests, reads too, that it refused
}
