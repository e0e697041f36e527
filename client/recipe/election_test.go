package recipe_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/recipe"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

const electionFile = "/ls/local/primary"

// term is what a program of the election needs of a recipe.Term.
type term interface {
	IsLeader() bool
	Sequencer() string
	Context() context.Context
	Resign(ctx context.Context) error
}

// election is a program that stands, leads, resigns and looks, with a way to stand.
type election struct {
	campaign func(ctx context.Context, c *client.Client, who recipe.Candidate) (term, error)
}

// campaign is the recipe.
func campaign(ctx context.Context, c *client.Client, who recipe.Candidate) (term, error) {
	t, err := recipe.Campaign(ctx, c, who)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (e election) trial() trial {
	return trial{name: "election", property: "R1", turn: e.turn, checker: oneLeader}
}

// leading is the state of a program.
type leading struct {
	term  term
	gen   uint64
	terms int
}

func (e election) turn(ctx context.Context, p scenario.Program) {
	s, _ := p.State().(*leading)
	if s == nil {
		s = &leading{}
		p.SetState(s)
	}
	d := p.Draw()
	switch d.Int(4) {
	case 0:
		e.look(ctx, p)
	case 1:
		if s.term == nil {
			e.stand(ctx, p, s)
		} else if s.term.Context().Err() != nil || d.Chance(1, 8) {
			within(ctx, p, 5*time.Second, "resign", s.term.Resign)
			s.term = nil
		}
	default:
		if s.term != nil && s.term.IsLeader() {
			report(p, "leads %d", s.gen)
		}
	}
}

func (e election) stand(ctx context.Context, p scenario.Program, s *leading) {
	address := fmt.Sprintf("program-%d-%d", p.ID(), s.terms)
	s.terms++
	within(ctx, p, p.Draw().Duration(time.Second, 20*time.Second), "campaign", func(ctx context.Context) error {
		t, err := e.campaign(ctx, p.Client(), recipe.Candidate{File: electionFile, Address: address})
		if err != nil {
			return err
		}
		q, err := client.ParseSequencer(t.Sequencer())
		if err != nil {
			p.World().Break("R1", "sequencer: %v", err)
			return err
		}
		s.term, s.gen = t, q.Generation
		p.World().Count("elected")
		report(p, "elected %d %s", s.gen, address)
		return nil
	})
}

// look observes leaders for a while.
func (e election) look(ctx context.Context, p scenario.Program) {
	report(p, "looks")
	within(ctx, p, p.Draw().Duration(time.Second, 10*time.Second), "observe", func(ctx context.Context) error {
		seen := 0
		for l, err := range recipe.Observe(ctx, p.Client(), electionFile) {
			if err != nil {
				return err
			}
			if seen++; seen > 1 {
				p.World().Count("followed")
			}
			report(p, "saw %d %s", l.Generation, l.Address)
		}
		return nil
	})
}

// oneLeader is property R1: at one instant one program believes that it leads, and the file has the
// address of a leader from the end of its campaign to that of its term.
func oneLeader() scenario.Checker {
	type leader struct {
		address string
		elected int // the report
	}
	var n int
	var claimed uint64
	leaders := map[uint64]leader{}
	looked := map[int64]int{}
	return reports(func(program int64, call string) error {
		n++
		what, rest, _ := strings.Cut(call, " ")
		var gen uint64
		var address string
		_, _ = fmt.Sscan(rest, &gen, &address)
		switch what {
		case "elected":
			if have, twice := leaders[gen]; twice {
				return fmt.Errorf("%s and %s were both elected at generation %d", have.address, address, gen)
			}
			leaders[gen] = leader{address, n}
		case "leads":
			if gen < claimed {
				return fmt.Errorf("program %d leads at generation %d, and another one led at %d before", program, gen, claimed)
			}
			claimed = gen
		case "looks":
			looked[program] = n
		case "saw":
			have, done := leaders[gen]
			if done && have.elected < looked[program] && have.address != address && address != "" {
				return fmt.Errorf("the file says %s, and %s had been elected at generation %d before it was read", address, have.address, gen)
			}
			looked[program] = n // what is read next is read from now on
		}
		return nil
	})
}

// One leader at a time, and its address in the file, in cells whose machines fail.
func TestElection(t *testing.T) {
	reaches(t, 2*enough, simtest.Run(t, election{campaign}.trial().options(2*enough, 4)), "elected", "followed")
}

func TestElectionIsDeterministic(t *testing.T) {
	simtest.Verify(t, election{campaign}.trial().options(1, 2))
}

// The trap: a candidate that writes its address before it has the lock.
func TestAHastyCandidateIsCaught(t *testing.T) {
	hasty := func(ctx context.Context, c *client.Client, who recipe.Candidate) (term, error) {
		f, err := c.Open(ctx, who.File, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close(ctx) }()
		if _, err := f.SetContents(ctx, who.Address, 0); err != nil {
			return nil, err
		}
		return campaign(ctx, c, who)
	}
	simtest.Expect(t, election{hasty}.trial().options(20, 4), "R1")
}

// stubborn is a leader that asks for its term once, and not for its lease.
type stubborn struct{ term }

func (s stubborn) IsLeader() bool { return true }

// The trap: a leader that counts on the lock for longer than its lease.
func TestALeaderWithoutALeaseIsCaught(t *testing.T) {
	long := func(ctx context.Context, c *client.Client, who recipe.Candidate) (term, error) {
		t, err := campaign(ctx, c, who)
		if err != nil {
			return nil, err
		}
		return stubborn{t}, nil
	}
	simtest.Expect(t, from(33, election{long}.trial().options(100, 4)), "R1")
}
