package cell

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// workBig is the workload of files as large as there are.
const workBig = "big"

// big leaves room for them: what is drawn for small values would write and fetch
// the same bytes a thousand times.
func (p *Plan) big() {
	p.Calls.Value = api.MaxContents
	p.Calls.Patience = max(p.Calls.Patience, 2*time.Second)
	p.Host.SnapshotEvery = max(p.Host.SnapshotEvery, 100)
	p.Host.PieceBytes = max(p.Host.PieceBytes, 1<<14)
	p.Store.ChunkSize = max(p.Store.ChunkSize, 1<<14)
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
	size := api.MaxContents + 1 - p.draws.Int(4)
	if size > api.MaxContents {
		p.cell.tricks["contents of a byte too many"]++
	}
	return s + strings.Repeat(".", size-len(s))
}
