package simtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/scenario"
	"github.com/chubbycell/chubby/sim/simtest"
)

// diary is a workload of files and locks. Each program writes a line into a shared file while it holds the lock of that
// file, keeps an ephemeral file of its own, and lists the directory.
type diary struct{}

func (diary) Name() string { return "diary" }
func (diary) Help() string { return "all programs write lines into one file, under its lock" }

// open has the handles that a program of the diary keeps open.
type open struct{ file, own *client.Handle }

func (w diary) Turn(ctx context.Context, p scenario.Program) {
	o, ok := p.State().(*open)
	if !ok {
		if o = w.open(ctx, p); o == nil {
			return
		}
		p.SetState(o)
	}
	lock, err := o.file.Acquire(ctx, client.Exclusive)
	p.Done("acquire", true, err)
	if err != nil {
		w.drop(ctx, p, o, err)
		return
	}
	text, s, err := o.file.Contents(ctx)
	p.Done("read", true, err)
	if err == nil {
		_, err = o.file.SetContents(ctx, text[:min(len(text), 100)]+".", s.Content)
		p.Done("write", true, err)
	}
	p.Done("release", true, lock.Release(ctx))
	w.drop(ctx, p, o, err)
}

func (w diary) open(ctx context.Context, p scenario.Program) *open {
	f, err := p.Client().Open(ctx, "/ls/local/diary", client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay})
	p.Done("open", true, err)
	if err != nil {
		return nil
	}
	own, err := p.Client().Open(ctx, fmt.Sprintf("/ls/local/writer-%x", p.ID()), client.OpenOptions{
		Rights: client.Read | client.Write, Create: client.CreateMay, Ephemeral: true,
	})
	p.Done("open own", false, err)
	if err != nil {
		_ = f.Close(ctx)
		return nil
	}
	return &open{f, own}
}

// drop closes both handles in one of five turns, and always if a handle can no longer be used.
func (w diary) drop(ctx context.Context, p scenario.Program, o *open, err error) {
	if !p.Draw().Chance(1, 5) && !errors.Is(err, client.ErrClosed) && !errors.Is(err, client.ErrGone) {
		return
	}
	if p.Draw().Chance(1, 4) {
		p.Done("delete", true, o.file.Delete(ctx))
	}
	_ = o.file.Close(ctx)
	_ = o.own.Close(ctx)
	p.SetState(nil)
}

// A workload of an extension may use nodes and locks as well as rows.
func TestAWorkloadMayUseNodes(t *testing.T) {
	simtest.Run(t, simtest.Options{
		With: &scenario.Extension{Workloads: []scenario.Workload{diary{}}}, Workload: "diary", Seeds: 1,
	})
}
