package workload

import (
	"context"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// readDir lists a directory, at times a few children in a call. Each page is a call of
// its own in the history, since what stands between them may change meanwhile.
//
// A page that is full may be the last one: that there is another one is known when its
// first child comes, or that it was asked for and had none, since those went meanwhile. So
// each but the first begins in the history before it is asked for, as one of a second
// process, and if it was not asked for it is dropped.
func (p *fileWork) readDir(ctx context.Context, o *opened) {
	page := 0
	if p.odd.Chance(1, 3) {
		page = 1 + p.odd.Int(3)
	}
	ctx, cancel := p.traced(ctx)
	defer cancel()
	in := linearizability.FileInput{Op: linearizability.FileReadDir, Path: o.path, Instance: uint64(o.stat.Instance)}
	f := p.begins(p.id, in)
	var next *fileCall
	var asked api.Seq // of the latest page
	var out linearizability.FileOutput
	for child, err := range o.h.Children(ctx, page) {
		if next != nil {
			out.More = true
			f.ends(out, nil)
			f, next, out = *next, nil, linearizability.FileOutput{}
			p.all.nodes.Paged()
		}
		if err != nil {
			out, ok := f.ends(linearizability.FileOutput{}, err)
			p.mayLose(o, out, ok)
			return
		}
		out.Children = append(out.Children, linearizability.FileChild{Name: child.Name, Stat: model.FileStat(child.Stat)})
		if len(out.Children) == page {
			in.After = child.Name
			ahead := p.begins(^f.id, in)
			next, asked = &ahead, p.trail.Seq
		}
	}
	emptied := next != nil && p.trail.Seq != asked
	out.More = emptied
	f.ends(out, nil)
	switch {
	case emptied:
		next.ends(linearizability.FileOutput{}, nil)
		p.all.nodes.Paged()
	case next != nil:
		next.drops()
	}
}
