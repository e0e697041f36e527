package cell

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim"
)

// cachingProgram is the program of a client that reads again and again.
type cachingProgram struct {
	x  *Caching
	rt *sim.Runtime
	c  *client.Client
	d  *sim.Draw
	id int
	h  *client.Handle // of the one file
}

// cachingFiles are how many files there are, and as many names of which nothing is there.
const cachingFiles = 20

// some picks a file: the first are read more often than the last.
func (p *cachingProgram) some() int { return int(p.d.LogUniform(1, cachingFiles)) - 1 }

// writer says that the program writes.
func (p *cachingProgram) writer() bool { return p.id%100 == 0 && (!p.x.o.OneFile || p.id == 0) }

// think is how long the program does nothing between two turns, on average.
func (p *cachingProgram) think() time.Duration {
	switch {
	case p.writer() && p.x.o.OneFile:
		return 10 * time.Second
	case p.writer():
		return 30 * time.Second
	}
	return 500 * time.Millisecond
}

func (p *cachingProgram) name(i int) string { return fmt.Sprintf("/ls/local/f%d", i) }

// begins makes files, as writers do, and opens what is to be open all the time.
func (p *cachingProgram) begins() {
	ctx := context.Background()
	if p.writer() {
		for i := range cachingFiles {
			if h := p.open(ctx, p.name(i), client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: "first"}); h != nil {
				p.did(h.Close(ctx))
			}
		}
	}
	for p.x.o.OneFile && p.h == nil {
		o := client.OpenOptions{Rights: client.Read}
		if p.writer() {
			o.Rights |= client.Write
		}
		if p.h = p.open(ctx, p.name(0), o); p.h == nil && p.rt.Sleep(ctx, time.Second) != nil {
			return
		}
	}
}

func (p *cachingProgram) turn() {
	ctx := context.Background()
	switch {
	case p.writer() && p.x.o.OneFile:
		p.writes(ctx, p.h)
	case p.writer():
		if h := p.open(ctx, p.name(p.some()), client.OpenOptions{Rights: client.Write}); h != nil {
			p.writes(ctx, h)
			p.did(h.Close(ctx))
		}
	case p.x.o.OneFile:
		p.reads(ctx, p.h)
	case p.d.Chance(1, 10): // what is not there
		p.open(ctx, p.name(cachingFiles+p.some()), client.OpenOptions{})
	default:
		if h := p.open(ctx, p.name(p.some()), client.OpenOptions{}); h != nil {
			p.reads(ctx, h)
			p.did(h.Close(ctx))
		}
	}
}

// open opens a file; nil: it is not there.
func (p *cachingProgram) open(ctx context.Context, name string, o client.OpenOptions) *client.Handle {
	h, err := p.c.Open(ctx, name, o)
	p.counts(err)
	if err != nil {
		return nil
	}
	return h
}

// reads reads the contents, or at times the metadata.
func (p *cachingProgram) reads(ctx context.Context, h *client.Handle) {
	var err error
	if p.d.Chance(1, 4) {
		_, err = h.Stat(ctx)
	} else {
		_, _, err = h.Contents(ctx)
	}
	p.counts(err)
}

func (p *cachingProgram) counts(err error) {
	if p.x.on {
		p.x.n.Reads++
	}
	p.did(err)
}

func (p *cachingProgram) writes(ctx context.Context, h *client.Handle) {
	at := p.x.cell.world.Now()
	_, err := h.SetContents(ctx, fmt.Sprint("by ", p.id, " at ", at), 0)
	p.did(err)
	if p.x.on {
		p.x.n.Writes++
		p.x.n.Slowest = max(p.x.n.Slowest, p.x.cell.world.Now()-at)
	}
}

// did takes in how a call ended.
func (p *cachingProgram) did(err error) {
	if err != nil && !errors.Is(err, client.ErrNotFound) && p.x.on && !p.rt.Env().Dead() {
		p.x.n.Failed++
	}
}
