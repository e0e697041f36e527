package simtest_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// sendNext is the program: workers send the mails of a list in turn, under the lock of the file that says how far it is.
func sendNext(ctx context.Context, f *client.Handle, noted bool, send func(n int)) error {
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
	if !noted { // the mistake: what is not noted yet is sent, and again by the next worker
		send(n + 1)
	}
	if _, err = f.SetContents(ctx, strconv.Itoa(n+1), stat.Content); err == nil && noted {
		send(n + 1)
	}
	return err
}

type mails struct{ noted bool }

func (mails) Name() string { return "mails" }
func (mails) Help() string { return "workers send mails in turn, under a lock" }
func (m mails) Turn(ctx context.Context, p scenario.Program) {
	wait := 2 * time.Second
	if p.Healed() { // then every call must succeed
		wait = time.Minute
	}
	ctx, cancel := p.WithTimeout(ctx, wait)
	defer cancel()
	f, err := p.Client().Open(ctx, "/ls/local/mails", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	if err == nil {
		err = sendNext(ctx, f, m.noted, func(n int) { p.Done(fmt.Sprintf("mail %d", n), true, nil) })
		f.Close(ctx)
	}
	p.Done("turn", true, err)
}

// sentOnce is the check: no mail is sent twice.
type sentOnce map[string]event.ProgramID

func (k sentOnce) End() error { return nil }
func (k sentOnce) On(_ time.Duration, e event.Event) error {
	c, ok := e.(event.CallEnded)
	if !ok || c.Err != nil || c.Call == "turn" {
		return nil
	}
	if first, twice := k[c.Call]; twice {
		return fmt.Errorf("%s of /ls/local/mails was sent by %v and by %v", c.Call, first, c.Program)
	}
	k[c.Call] = c.Program
	return nil
}

func mailing(noted bool) simtest.Options {
	once := scenario.Property{ID: "M1", Help: "each mail is sent once", New: func() scenario.Checker { return sentOnce{} }}
	return simtest.Options{Workload: "mails", Seeds: 5,
		With: &scenario.Extension{Workloads: []scenario.Workload{mails{noted}}, Properties: []scenario.Property{once}}}
}

func TestMails(t *testing.T) { simtest.Run(t, mailing(true)) }
func TestCarelessMailsAreCaught(t *testing.T) {
	o := mailing(false)
	o.Seeds = 20
	simtest.Expect(t, o, "M1")
}
