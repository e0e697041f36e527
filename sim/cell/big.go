package cell

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/plan"
)

// sized checks that contents were refused for their length if, and only if, that is too
// much (S4).
func (c *Cell) sized(text string, err error) {
	long := len(text) > plan.LargestFile
	switch refused := errors.Is(err, client.ErrTooLarge); {
	case long && err == nil, refused && !long:
		c.world.Break("S4", "contents of %d bytes are written, with this error: %v; there may be %d", len(text), err, plan.LargestFile)
	}
}

// bigTurn reads and writes a few files, some of them near the largest size (C17.01).
func (p *program) bigTurn(ctx context.Context) {
	path := hotNode
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

func (p *program) small() string { return fmt.Sprintf("%x.%d", p.id, p.calls) }

// full is text as long as a file may be, or some bytes less, or one more.
func (p *program) full() string {
	s := p.small()
	size := plan.LargestFile + 1 - p.draws.Int(4)
	if size > plan.LargestFile {
		p.cell.tricks["contents of a byte too many"]++
	}
	return s + p.cell.dots(size-len(s))
}

// dots are n of them: what fills up values and contents. They are cut from one
// string.
func (c *Cell) dots(n int) string {
	if n > len(c.load.dots) {
		c.load.dots = strings.Repeat(".", n)
	}
	return c.load.dots[:n]
}
