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

// cachingFiles is the number of files that exist, and of names in use whose files do not exist.
const cachingFiles = 20

// pickFile picks a file: the first are read more often than the last.
func (p *cachingProgram) pickFile() int { return int(p.d.LogUniform(1, cachingFiles)) - 1 }

// isWriter reports whether the program writes.
func (p *cachingProgram) isWriter() bool { return p.id%100 == 0 && (!p.x.o.OneFile || p.id == 0) }

// think returns the mean time between two turns of the program.
func (p *cachingProgram) think() time.Duration {
	switch {
	case p.isWriter() && p.x.o.OneFile:
		return 10 * time.Second
	case p.isWriter():
		return 30 * time.Second
	}
	return 500 * time.Millisecond
}

func (p *cachingProgram) name(i int) string { return fmt.Sprintf("/ls/local/f%d", i) }

// begin makes the files, if the program is a writer, and opens the file that stays open.
func (p *cachingProgram) begin() {
	ctx := context.Background()
	if p.isWriter() {
		for i := range cachingFiles {
			if h := p.open(ctx, p.name(i), client.OpenOptions{Rights: client.Write, Create: client.CreateMay, Contents: "first"}); h != nil {
				p.countFailure(h.Close(ctx))
			}
		}
	}
	for p.x.o.OneFile && p.h == nil {
		o := client.OpenOptions{Rights: client.Read}
		if p.isWriter() {
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
	case p.isWriter() && p.x.o.OneFile:
		p.write(ctx, p.h)
	case p.isWriter():
		if h := p.open(ctx, p.name(p.pickFile()), client.OpenOptions{Rights: client.Write}); h != nil {
			p.write(ctx, h)
			p.countFailure(h.Close(ctx))
		}
	case p.x.o.OneFile:
		p.read(ctx, p.h)
	case p.d.Chance(1, 10): // a file that does not exist
		p.open(ctx, p.name(cachingFiles+p.pickFile()), client.OpenOptions{})
	default:
		if h := p.open(ctx, p.name(p.pickFile()), client.OpenOptions{}); h != nil {
			p.read(ctx, h)
			p.countFailure(h.Close(ctx))
		}
	}
}

// open opens a file. It returns nil if the file does not exist, or the call failed.
func (p *cachingProgram) open(ctx context.Context, name string, o client.OpenOptions) *client.Handle {
	h, err := p.c.Open(ctx, name, o)
	p.countRead(err)
	if err != nil {
		return nil
	}
	return h
}

// read reads the contents, or at times the metadata.
func (p *cachingProgram) read(ctx context.Context, h *client.Handle) {
	var err error
	if p.d.Chance(1, 4) {
		_, err = h.Stat(ctx)
	} else {
		_, _, err = h.Contents(ctx)
	}
	p.countRead(err)
}

func (p *cachingProgram) countRead(err error) {
	if p.x.on {
		p.x.n.Reads++
	}
	p.countFailure(err)
}

func (p *cachingProgram) write(ctx context.Context, h *client.Handle) {
	at := p.x.cell.world.Now()
	_, err := h.SetContents(ctx, fmt.Sprint("by ", p.id, " at ", at), 0)
	p.countFailure(err)
	if p.x.on {
		p.x.n.Writes++
		p.x.n.Slowest = max(p.x.n.Slowest, p.x.cell.world.Now()-at)
	}
}

// countFailure counts a call that ended with an error, unless the error is ErrNotFound.
func (p *cachingProgram) countFailure(err error) {
	if err != nil && !errors.Is(err, client.ErrNotFound) && p.x.on && !p.rt.Env().Dead() {
		p.x.n.Failed++
	}
}
