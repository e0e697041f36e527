package simtest_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// follower has the number of a file, as far as it has heard of it.
type follower struct {
	file    *client.Handle
	again   func(client.Event) bool // whether an event is a reason to read again
	stale   bool                    // there was such an event, and the file was not read since
	workers string
}

// follow opens the file. The first call of hear reads it.
func follow(ctx context.Context, c *client.Client, again func(client.Event) bool) (*follower, error) {
	f, err := c.Open(ctx, "/ls/local/workers", client.OpenOptions{
		Rights: client.Read | client.Write, Create: client.CreateMay, Contents: "0", Events: client.WantContents | client.WantInvalid,
	})
	return &follower{file: f, again: again, stale: true}, err
}

// hear waits for an event, and reads the file again if the event is a reason to. A read that failed is made by the next call.
func (f *follower) hear(ctx context.Context) error {
	if !f.stale {
		e, err := f.file.Events().Next(ctx)
		if err != nil {
			return err
		}
		f.stale = f.again(e)
	}
	if f.stale {
		text, _, err := f.file.Contents(ctx)
		if err != nil {
			return err
		}
		f.workers, f.stale = text, false
	}
	return nil
}

// afterAny is right: each event is a reason to read again.
func afterAny(client.Event) bool { return true }

// afterWrites is the mistake. When a master crashes, events that it has not sent are lost. The next master does not know
// them. It is EventReadAgain that tells each handle of the fail-over.
func afterWrites(e client.Event) bool { return e.Kind == client.EventContents }

// steadyTurns is for how many turns, of a second each, the file must have had the same contents before every follower
// must know them. It is several session leases.
const steadyTurns = 8

// observed is what the test keeps of a program: a follower, and for how many turns the file has been the same.
type observed struct {
	*follower
	text   string
	steady int
}

// following is the test: a follower does not miss a change for ever.
func following(again func(client.Event) bool) simtest.Program {
	return simtest.Program{
		Turn: func(ctx context.Context, p scenario.Program) error {
			o, _ := p.State().(*observed)
			if o == nil {
				f, err := follow(ctx, p.Client(), again)
				if err != nil {
					return err
				}
				o = &observed{follower: f}
				p.SetState(o)
			}
			second, cancel := p.WithTimeout(ctx, time.Second)
			defer cancel()
			for second.Err() == nil {
				if err := o.hear(second); err != nil && second.Err() == nil {
					return err
				}
			}
			text, _, err := o.file.Contents(ctx) // the test reads the file itself
			if err != nil {
				return err
			}
			if o.steady++; text != o.text {
				o.text, o.steady = text, 0
			}
			if o.steady < steadyTurns {
				return nil
			}
			p.Note(fmt.Sprintf("has %s workers", o.workers))
			if o.workers != text {
				p.World().Break("F1", "%s has %s workers, and the file has had %s for %d seconds", event.ProgramID(p.ID()), o.workers, text, o.steady)
			}
			p.World().Count("checked")
			if p.Healed() || p.Draw().Chance(3, 4) {
				return nil
			}
			n := strconv.Itoa(1 + p.Draw().Int(1000))
			p.Note(writes + n)
			_, err = o.file.SetContents(ctx, n, 0)
			return err
		},
		Options: simtest.Options{
			Seeds: 3, Clients: 2, Faults: []string{"worst-moment"}, Set: []string{"session-lease=1s"},
			With: &scenario.Extension{Faults: []scenario.Fault{worstMoment{}}},
		},
	}
}

// writes begins the note of a program that is about to write.
const writes = "writes workers "

// worstMoment is a fault of this test: the master loses power some milliseconds after a program has sent a write.
type worstMoment struct{}

func (worstMoment) Name() string { return "worst-moment" }
func (worstMoment) Help() string { return "the master loses power just after a write" }

func (worstMoment) Strike(s scenario.Stage) {
	isWrite := func(e event.Event) bool {
		note, ok := e.(event.Noted)
		return ok && strings.HasPrefix(note.Text, writes)
	}
	s.When(isWrite, func() {
		s.After(s.Draw().Duration(0, 50*time.Millisecond), func() { s.CutPower(s.Leader()) })
	})
}

func TestFollower(t *testing.T) {
	totals := following(afterAny).Run(t)
	require.NotZero(t, totals.Counter("checked").Sum, "no follower was checked")
}

func TestAFollowerThatIgnoresAFailOverIsCaught(t *testing.T) { following(afterWrites).Expect(t, "F1") }
