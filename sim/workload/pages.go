package workload

import (
	"context"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// readDir lists a directory, at times a few children at a time. Each page is a call of its own in
// the history, since the directory may change between two pages.
//
// A full page may be the last one. The program learns that the client requests another page only
// when its first child comes, or when the listing ends because that page had no children any more.
// So each page except the first begins in the history before the request, as a call of a second
// process, and is dropped if there was no request.
func (p *fileWork) readDir(ctx context.Context, o *opened) {
	page := 0
	if p.odd.Chance(1, 3) {
		page = 1 + p.odd.Int(3)
	}
	ctx, cancel := p.traced(ctx)
	defer cancel()
	in := linearizability.FileInput{Op: linearizability.FileReadDir, Path: o.path, Instance: uint64(o.stat.Instance)}
	f := p.begin(p.id, in)
	var next *fileCall
	var asked api.Seq // number of the call for the latest page
	var out linearizability.FileOutput
	for child, err := range o.h.Children(ctx, page) {
		if next != nil {
			out.More = true
			f.end(out, nil)
			f, next, out = *next, nil, linearizability.FileOutput{}
			p.all.nodes.Paged()
		}
		if err != nil {
			out, ok := f.end(linearizability.FileOutput{}, err)
			p.closeIfGone(o, out, ok)
			return
		}
		out.Children = append(out.Children, linearizability.FileChild{Name: child.Name, Stat: model.FileStat(child.Stat)})
		if len(out.Children) == page {
			in.After = child.Name
			ahead := p.begin(^f.id, in)
			next, asked = &ahead, p.trail.Seq
		}
	}
	emptied := next != nil && p.trail.Seq != asked
	out.More = emptied
	f.end(out, nil)
	switch {
	case emptied:
		next.end(linearizability.FileOutput{}, nil)
		p.all.nodes.Paged()
	case next != nil:
		next.drop()
	}
}
