package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/plan"
)

// checkSize checks that contents were refused for their length if, and only if, they are longer
// than a file may be (S4).
func (c *Programs) checkSize(text string, err error) {
	long := len(text) > plan.LargestFile
	switch refused := errors.Is(err, client.ErrTooLarge); {
	case long && err == nil, refused && !long:
		c.world.Break("S4", "contents of %d bytes are written, with this error: %v; there may be %d", len(text), err, plan.LargestFile)
	}
}

// bigWork is a thread that works on the largest files.
type bigWork struct{ *fileWork }

// turn reads and writes a few files, some of them near the largest size (C17.01).
func (p *bigWork) turn(ctx context.Context) {
	path := HotNode
	if p.draws.Chance(1, 2) {
		path = fmt.Sprintf("/d0/b%d", p.draws.Int(3))
	}
	o := p.has(path)
	if o == nil {
		p.openAs(ctx, path, manner{create: client.CreateMay, rights: allRights, text: p.small()})
		return
	}
	switch n := p.draws.Int(40); {
	case n == 0:
		p.write(ctx, o, p.full(), 0)
	case n < 4:
		p.contents(ctx, o)
	case n < 18:
		p.write(ctx, o, p.small(), o.stat.Content)
	default:
		p.stat(ctx, o)
	}
}

func (p *bigWork) small() string { return fmt.Sprintf("%x.%d", p.id, p.calls) }

// full returns text as long as a file may be, or a few bytes less, or one byte more.
func (p *bigWork) full() string {
	s := p.small()
	size := plan.LargestFile + 1 - p.draws.Int(4)
	if size > plan.LargestFile {
		p.all.TooLarge++
	}
	return s + p.all.dots(size-len(s))
}

// dots returns n dots, which fill up values and contents. All are slices of one string.
func (c *Programs) dots(n int) string {
	if n > len(c.filler) {
		c.filler = strings.Repeat(".", n)
	}
	return c.filler[:n]
}
