package adversary

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
	"github.com/chubbycell/chubby/sim/plan"
	"github.com/chubbycell/chubby/sim/workload"
)

// Adversary is the hostile client of a cell, and what it has got hold of.
type Adversary struct {
	Tricks map[string]uint64 // that were answered as they must be, or sent, by name

	plan     *plan.Plan
	programs *workload.Programs
	facts    Facts
	listens  *sim.Draw // what it overhears; nil: it is not there
	heard    overheard
}

// Facts are what is known of the cell from its log and its links.
type Facts interface {
	Given(t api.Token) *model.Grip          // the handle that a token was given out for; nil: none
	OpenedBy(s api.SessionID) api.Principal // who has opened a session; "": no client
	LastNumber() api.Number                 // of commands that were executed
}

// New is one that is not there yet: nothing overhears, and nothing asks.
func New(p *plan.Plan, programs *workload.Programs, facts Facts) *Adversary {
	return &Adversary{Tricks: map[string]uint64{}, plan: p, programs: programs, facts: facts}
}

// Name is who the hostile client is, also where there is none.
func (a *Adversary) Name() api.Principal {
	return model.PrincipalOn(sim.FirstClient + sim.Addr(a.plan.Clients))
}

// Join puts the hostile client into the world, behind all other clients.
func (a *Adversary) Join(w *sim.World, clock sim.ClockConfig) {
	w.Add(sim.MachineConfig{
		Addr: sim.FirstClient + sim.Addr(a.plan.Clients), Process: func() sim.Process { return &hostile{of: a} }, Clock: clock,
	})
	a.listens = w.Draw("cell.heard", 0)
}

// Hears lets the hostile client overhear a request of another one.
func (a *Adversary) Hears(who api.Principal, q api.Request, wire []byte) {
	if a.listens != nil && who != a.Name() {
		a.heard.request(a.listens, q, wire)
	}
}
