package simtest_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// sendNext is the program. Workers send the mails of a list one by one. A file has the number of the last mail; its
// lock is held for each mail.
func sendNext(ctx context.Context, c *client.Client, noted bool, send func(n int)) error {
	f, err := c.Open(ctx, "/ls/local/mails", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	if err != nil {
		return err
	}
	defer f.Close(ctx)
	lock, err := f.Acquire(ctx, client.Exclusive)
	if err != nil {
		return err
	}
	defer lock.Release(ctx)
	text, stat, err := f.Contents(ctx)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(text)
	if !noted { // the mistake: if the note fails after this, the next worker sends the mail again
		send(n + 1)
	}
	if _, err = f.SetContents(ctx, strconv.Itoa(n+1), stat.Content); err == nil && noted {
		send(n + 1)
	}
	return err
}

// mailing is the test: no mail is sent twice.
func mailing(noted bool) simtest.Program {
	type sent map[int]event.ProgramID
	return simtest.Program{Options: simtest.Options{Seeds: 4, Clients: 3}, Turn: func(ctx context.Context, p scenario.Program) error {
		return sendNext(ctx, p.Client(), noted, func(n int) {
			me, by := event.ProgramID(p.ID()), sim.Shared(p.World(), "mails", func() sent { return sent{} })
			p.Note("sends mail " + strconv.Itoa(n))
			if first, twice := by[n]; twice {
				p.World().Break("M1", "mail %d of /ls/local/mails was sent by %v and by %v", n, first, me)
			}
			by[n] = me
		})
	}}
}

func TestMails(t *testing.T)                  { mailing(true).Run(t) }
func TestCarelessMailsAreCaught(t *testing.T) { mailing(false).Expect(t, "M1") }
