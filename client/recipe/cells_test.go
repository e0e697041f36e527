package recipe_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/cellkit"
	"github.com/chubbycell/chubby/sim/faults"
	"github.com/chubbycell/chubby/sim/simtest"
)

// sites are the names of two cells. Each has an election, and guards a resource.
var sites = []string{"west", "east"}

// ruler is a program that stands for election in both cells, and acts on resources while it leads.
type ruler struct {
	path func(site string) string   // of the election's file in the cell of a site
	acts func(site string) []string // on whose resources the leader of a site acts

	unfenced bool // the resources check nothing, and rely on the leaders
}

// ruling is the recipe: a leader acts on the resource of the cell that has elected it, and on no other. The path of
// each election names its cell, because a sequencer does not: so a Fence refuses the leaders of other cells.
var ruling = ruler{
	path: func(site string) string { return "/leader-of-" + site },
	acts: func(site string) []string { return []string{site} },
}

// realm is one run: two cells, and a resource beside each.
type realm struct {
	ruler
	cells     []*cellkit.Cell
	resources map[string]*guardedBy
}

// guardedBy is a resource that the election of one cell guards.
type guardedBy struct {
	site     string
	fence    *recipe.Fence
	unfenced bool // it admits every request
	version  int
}

func (*realm) Name() string { return "rulers" }
func (*realm) Clients() int { return 4 }
func (r *realm) Program(int) func(rt *sim.Runtime) {
	return func(rt *sim.Runtime) {
		draw := rt.Env().Draw("ruler")
		for rt.Env().World().Now() < reign {
			ctx, cancel := rt.WithTimeout(context.Background(), 30*time.Second)
			c := cellkit.NewClient(rt, client.Config{}, r.cells...)
			var ends []sim.Signal
			for _, site := range sites {
				end := rt.NewSignal()
				ends = append(ends, end)
				rt.Go(site, func() {
					defer end.Fire()
					_ = r.rule(ctx, rt, draw, c, site)
				})
			}
			for _, end := range ends { // each campaign ends with ctx
				_, _ = rt.Wait(context.Background(), end)
			}
			_ = c.Close(ctx)
			cancel()
		}
	}
}

// reign is the time with faults.
const reign = time.Minute

// rule stands in the election of one site, and leads for a while.
func (r *realm) rule(ctx context.Context, rt *sim.Runtime, draw *sim.Draw, c *client.Client, site string) error {
	term, err := recipe.Campaign(ctx, c, recipe.Candidate{File: "/ls/" + site + r.path(site), Address: rt.Env().Self().String()})
	if err != nil {
		return err
	}
	rt.Env().Count("elected in " + site)
	for n := draw.Int(30); n >= 0 && term.IsLeader(); n-- {
		for _, of := range r.acts(site) {
			if err := r.resources[of].update(ctx, rt, draw, term, site); err != nil {
				return err
			}
		}
	}
	return term.Resign(ctx)
}

// update is one update of the resource by the leader of a site: a read, and a write of what follows from it. It is
// property R10, too: no update is lost.
func (g *guardedBy) update(ctx context.Context, rt *sim.Runtime, draw *sim.Draw, term *recipe.Term, site string) error {
	base, err := g.request(ctx, rt, draw, term, site, g.fence.Read)
	if err != nil {
		return err
	}
	version, err := g.request(ctx, rt, draw, term, site, g.fence.Write)
	if err != nil {
		return err
	}
	if base != version {
		rt.Env().World().Break("R10", "the resource of %s has version %d, and %s writes over version %d: an update is lost", g.site, version, rt.Env().Self(), base)
	}
	g.version++
	rt.Env().Count("updates of " + g.site)
	return nil
}

// request is one request of the leader of a site, which may be late. It returns the version of the resource. It is
// property R10, too: the resource refuses the leader of its own site only once that one no longer leads.
func (g *guardedBy) request(ctx context.Context, rt *sim.Runtime, draw *sim.Draw, term *recipe.Term, site string, admit func(sequencer string) error) (int, error) {
	if err := rt.Sleep(ctx, draw.Duration(time.Millisecond, 200*time.Millisecond)); err != nil {
		return 0, err
	}
	err := admit(term.Sequencer())
	switch {
	case g.unfenced:
		err = nil
	case errors.Is(err, recipe.ErrFenced) && site == g.site && term.IsLeader():
		rt.Env().World().Break("R10", "the resource of %s refuses its leader %s while it leads: %v", g.site, rt.Env().Self(), err)
	case err != nil:
		rt.Env().Count("refused a leader of " + site + " in " + g.site)
	}
	return g.version, err
}

// lostSite cuts off all replicas of a cell at once, so that a program may lead in one cell without the other.
type lostSite struct{ r *realm }

func (lostSite) Name() string { return "lost-site" }
func (f lostSite) Run(s *sim.Stage) {
	for s.Next(func() time.Duration { return s.Draw().Duration(5*time.Second, 30*time.Second) }) {
		net, lost := s.World().Net(), f.r.cells[s.Draw().Int(len(f.r.cells))].Addrs()
		net.Isolate(lost...)
		s.Sleep(s.Draw().Duration(time.Second, 10*time.Second))
		net.Rejoin(lost...)
	}
}

// world is the seeds of a ruler.
func (x ruler) world(seeds uint64) simtest.World {
	link := sim.LinkConfig{Delay: sim.Table{time.Millisecond, 20 * time.Millisecond}}
	tune := func(c *driver.Config) { c.Core.Sessions.LeaseMin = 2 * time.Second }
	rate := func(every time.Duration) faults.Rate { return faults.Rate{Every: every, For: 4 * time.Second} }
	return simtest.World{Seeds: seeds, Jobs: 1, Config: sim.Config{Link: link, Trace: sim.Trace{Describe: cellkit.Describe}}, Scenario: func(uint64) sim.Scenario {
		r := &realm{ruler: x, resources: map[string]*guardedBy{}}
		any := func(s *sim.Stage) *sim.Machine { return r.cells[s.Draw().Int(len(r.cells))].Any(s) }
		return sim.Scenario{
			Workloads: []sim.Workload{r}, Safety: reign, Liveness: 2 * time.Minute,
			Setup: func(w *sim.World) {
				for _, site := range sites {
					r.cells = append(r.cells, cellkit.Add(w, cellkit.Config{Name: site, Tune: tune}))
					r.resources[site] = &guardedBy{site: site, fence: recipe.NewFence(x.path(site)), unfenced: x.unfenced}
				}
			},
			Faults: []sim.Fault{
				lostSite{r}, faults.Crash(rate(5*time.Second), any), faults.Pause(rate(5*time.Second), any),
				faults.Pause(rate(2*time.Second), faults.AnyClient), faults.Isolate(rate(10*time.Second), faults.AnyClient), faults.Crash(rate(20*time.Second), faults.AnyClient),
			},
		}
	}}
}

// Two cells, two elections, two resources, on machines that fail: each leader acts on the resource of its cell.
func TestElectionsInTwoCells(t *testing.T) {
	reaches(t, enough, ruling.world(enough).Run(t), "elected in west", "elected in east", "updates of west", "updates of east")
}

func TestElectionsInTwoCellsAreDeterministic(t *testing.T) { ruling.world(1).Verify(t) }

// The fence of a resource refuses a leader of another cell, if the path of the election names the cell.
func TestAFenceRefusesTheLeaderOfAnotherCell(t *testing.T) {
	meddling := ruling
	meddling.acts = func(site string) []string {
		return []string{site, map[string]string{"west": "east", "east": "west"}[site]}
	}
	reaches(t, enough, meddling.world(enough).Run(t), "refused a leader of west in east", "refused a leader of east in west")
}

// everywhere is the trap: a program that was elected in one cell takes itself for the leader in the other one too.
func everywhere(string) []string { return sites }

// The trap, with equal paths: the fence takes the sequencers of both cells for those of one lock, and keeps the right
// leader out.
func TestALeaderOfAnotherCellIsCaught(t *testing.T) {
	ruler{path: func(string) string { return "/leader" }, acts: everywhere}.world(20).Expect(t, "R10")
}

// The trap, without fences: each leader asks IsLeader, and both act on one resource.
func TestLeadersOfTwoCellsAreCaught(t *testing.T) {
	ruler{path: ruling.path, acts: everywhere, unfenced: true}.world(20).Expect(t, "R10")
}
