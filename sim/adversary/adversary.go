package adversary

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/workload"
)

// Adversary is the hostile client of a cell, and what it has overheard.
type Adversary struct {
	Tricks map[string]uint64 // how many were answered as they must be, or only sent, by name

	plan     *plan.Plan
	programs *workload.Programs
	facts    Facts
	listens  *sim.Draw // decides what it overhears; nil: it has not joined
	heard    overheard
}

// Facts is what the hostile client may know of the cell from its log and its links.
type Facts interface {
	Given(t api.Token) *model.Grip          // the handle for which the cell gave out a token; nil: none
	OpenedBy(s api.SessionID) api.Principal // the principal that opened a session; "": no client has
	LastNumber() api.Number                 // of the commands executed so far
}

// New returns a hostile client that has no machine yet: until Join it overhears nothing and sends
// nothing.
func New(p *plan.Plan, programs *workload.Programs, facts Facts) *Adversary {
	return &Adversary{Tricks: map[string]uint64{}, plan: p, programs: programs, facts: facts}
}

// Name returns the principal of the hostile client, even if it never joins.
func (a *Adversary) Name() api.Principal {
	return model.PrincipalOn(sim.FirstClient + sim.Addr(a.plan.Clients))
}

// Join adds the machine of the hostile client to the world, after all honest clients.
func (a *Adversary) Join(w *sim.World, clock sim.ClockConfig) {
	w.Add(sim.MachineConfig{
		Addr: sim.FirstClient + sim.Addr(a.plan.Clients), Process: func() sim.Process { return &hostile{of: a} }, Clock: clock,
	})
	a.listens = w.Draw("cell.heard", 0)
}

// Hears lets the hostile client overhear a request of another client, if it has joined.
func (a *Adversary) Hears(who api.Principal, q api.Request, wire []byte) {
	if a.listens != nil && who != a.Name() {
		a.heard.request(a.listens, q, wire)
	}
}
