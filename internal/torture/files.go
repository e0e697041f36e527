package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
)

type fileHistory = history[linearizability.FileState, linearizability.FileInput, linearizability.FileOutput]

// files are those that are used at present.
type files struct {
	run *run
	now *pool[linearizability.FileState, linearizability.FileInput, linearizability.FileOutput]
}

const filesAtOnce = 3

func newFiles(r *run) *files {
	return &files{run: r, now: newPool(r, "file", filesAtOnce, linearizability.File(), fileChanges)}
}

func fileChanges(in linearizability.FileInput, out *linearizability.FileOutput) bool {
	switch in.Op {
	case linearizability.FileOpen:
		return in.Create != linearizability.FileCreateNever && (out == nil || out.Created)
	case linearizability.FileSet:
		return out == nil || out.Code == linearizability.FileOK
	}
	return false
}

// grip is a file that a session has open, and the generation that it last saw.
type grip struct {
	h    *client.Handle
	seen client.ContentGen
}

// work calls until ctx ends.
func (w *files) work(ctx context.Context, s *session, who int64) {
	grips, of := map[*fileHistory]*grip{}, 0 // those of client number of
	for n := 0; ctx.Err() == nil; n++ {
		cl, life, err := s.client(ctx)
		if err != nil {
			continue
		}
		if life != of {
			clear(grips)
			of = life
		}
		h, _ := w.now.pick()
		short, cancel := context.WithTimeout(ctx, patience())
		if g := grips[h]; g != nil {
			err = w.use(short, h, g, who, fmt.Sprintf("%d.%d", who, n))
		} else if g, err = w.open(short, h, cl, who); err == nil {
			w.closeOld(ctx, grips)
			grips[h] = g
		}
		cancel()
		if err == nil {
			w.run.count(&w.run.ops.files)
			continue
		}
		s.met(life, err)
		pause(ctx, time.Duration(rand.IntN(20))*time.Millisecond)
	}
}

// closeOld closes handles of files that are not used any more.
func (w *files) closeOld(ctx context.Context, grips map[*fileHistory]*grip) {
	for h, g := range grips { // order-free
		if h.isFull() {
			delete(grips, h)
			go func() {
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				_ = g.h.Close(ctx) // it goes on behind
			}()
		}
	}
}

func (w *files) path(h *fileHistory) string { return "/torture-" + h.name }

func (w *files) open(ctx context.Context, h *fileHistory, cl *client.Client, who int64) (*grip, error) {
	in := linearizability.FileInput{
		Op: linearizability.FileOpen, Path: w.path(h), Create: linearizability.FileCreateMay, Kind: linearizability.FilePlain, Contents: "new",
	}
	ctx, at := h.begin(ctx, in)
	handle, err := cl.Open(ctx, "/ls/local"+w.path(h), client.OpenOptions{Rights: client.Read | client.Write, Create: client.CreateMay, Contents: "new"})
	out := linearizability.FileOutput{Stat: unknownStat}
	if err == nil {
		out.Created = handle.Created()
	}
	h.end(who, at, out, err)
	return &grip{h: handle}, err
}

// unknownStat is metadata of which nothing is checked.
var unknownStat = linearizability.FileStat{Length: -1, Children: -1}

// use makes one call by a handle.
func (w *files) use(ctx context.Context, h *fileHistory, g *grip, who int64, value string) error {
	in := linearizability.FileInput{Path: w.path(h), Op: linearizability.FileGet}
	switch n := rand.IntN(10); {
	case n < 4:
	case n < 6:
		in.Op = linearizability.FileGetStat
	case n < 8:
		in.Op, in.Contents = linearizability.FileSet, value
	default:
		in.Op, in.Contents, in.When = linearizability.FileSet, value, uint64(g.seen)
	}
	ctx, at := h.begin(ctx, in)
	var out linearizability.FileOutput
	var stat client.Stat
	var err error
	switch in.Op {
	case linearizability.FileGet:
		out.Contents, stat, err = g.h.Contents(ctx)
	case linearizability.FileGetStat:
		stat, err = g.h.Stat(ctx)
	default:
		stat, err = g.h.SetContents(ctx, in.Contents, client.ContentGen(in.When))
	}
	var conflict *client.ConflictError
	if errors.As(err, &conflict) && !errors.Is(err, client.ErrOutcomeUnknown) {
		out.Code, stat, err = linearizability.FileConflict, conflict.Stat, nil
	}
	if err == nil {
		g.seen, out.Stat = stat.Content, fileStat(stat)
	}
	h.end(who, at, out, err)
	return err
}

// fileStat is metadata as the model has it. Names of access control lists are those of the
// cell's root, of which the history does not tell.
func fileStat(s client.Stat) linearizability.FileStat {
	f := linearizability.FileStat{
		Kind: linearizability.FilePlain, Ephemeral: s.Ephemeral, Instance: uint64(s.Instance), Content: uint64(s.Content),
		ACL: uint64(s.ACL), Lock: uint64(s.Lock), Length: int64(s.Length), Checksum: uint64(s.Checksum), Children: int64(s.Children),
	}
	if s.Kind == api.Directory {
		f.Kind = linearizability.FileDirectory
	}
	return f
}
