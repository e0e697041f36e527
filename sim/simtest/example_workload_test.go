package simtest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/sim/scenario"
)

// counter is a workload: all programs add one to the number in a row. A careless counter writes the row even if another
// program has changed it since the read.
type counter struct{ careless bool }

func (counter) Name() string { return "counter" }
func (counter) Help() string { return "all programs count one row up" }

func (w counter) Turn(ctx context.Context, p scenario.Program) {
	const row = "g0/counter"
	was, err := p.Client().Get(ctx, row)
	p.Done("read", true, err)
	n, expect := 0, client.Absent()
	switch {
	case err == nil:
		expect = client.Value(was)
		if n, err = parse(was); err != nil {
			p.World().Break("X1", "the row holds %q", was)
			return
		}
	case !errors.Is(err, client.ErrNotFound):
		return
	}
	if w.careless {
		err = p.Client().Put(ctx, row, fmt.Sprint(n+1))
	} else {
		err = p.Client().CompareAndSet(ctx, row, expect, fmt.Sprint(n+1))
	}
	p.Done(fmt.Sprintf("count to %d", n+1), true, err)
}

func parse(s string) (n int, err error) { _, err = fmt.Sscan(s, &n); return n, err }
