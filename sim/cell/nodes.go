package cell

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
)

// hotNode is the contended file, and lock.
const hotNode = "/d0/hot"

// opened is a handle of a program, and what the program knows of the node.
type opened struct {
	h    *client.Handle
	path string
	stat client.Stat // as last told
	lock *client.Lock

	fenced bool // a sequencer is tied to it
}

// ref is the node that the handle is bound to.
func (o *opened) ref() api.Ref {
	path, err := api.ParsePath(o.path)
	if err != nil {
		panic(err)
	}
	return api.Ref{Path: path, Instance: o.stat.Instance}
}

func (p *program) believer() believer { return runningClient{p.rt, p.client} }

// path picks a node: the contended one, a directory, or a file in one.
func (p *program) path() string {
	calls := &p.cell.plan.Calls
	dir := p.dir()
	switch {
	case p.draws.Chance(calls.Hot, 100):
		return hotNode
	case p.draws.Chance(1, 4):
		return dir
	}
	return fmt.Sprintf("%s/f%d", dir, p.draws.Int(calls.Keys))
}

// dirs are the directories that programs use, the one with the contended node first.
// The names of some begin with those of others, and sort before and behind what is
// in these.
var dirs = [...]string{"/d0", "/d", "/d0-", "/d00", "/d1", "/d1.x"}

// dir picks a directory.
func (p *program) dir() string { return dirs[p.draws.Int(p.cell.plan.Calls.Groups)] }

// files opens, reads, writes, lists and deletes nodes.
func (p *program) files(ctx context.Context) {
	path := p.path()
	o := p.has(path)
	if o == nil {
		p.open(ctx, path, client.Creation(p.draws.Weighted([]uint32{2, 4, 1})), p.draws.Chance(1, 6))
		return
	}
	dir := o.stat.Kind == api.Directory
	switch p.draws.Weighted([]uint32{4, 3, 4, 1, 1, 2, 2}) {
	case 0:
		if dir {
			p.readDir(ctx, o)
			return
		}
		p.contents(ctx, o)
	case 1:
		p.stat(ctx, o)
	case 2:
		p.setContents(ctx, o, p.generation(o))
	case 3:
		p.setACL(ctx, o)
	case 4:
		p.remove(ctx, o)
	case 5:
		p.closeHandle(o)
	case 6:
		p.open(ctx, path, client.CreateNever, false)
	}
}

// locks acquires locks, holds them for a while and releases them, and now and then
// loses patience or asks whether a sequencer is valid.
func (p *program) locks(ctx context.Context) {
	path := p.path()
	o := p.has(path)
	switch {
	case o == nil:
		p.open(ctx, path, client.CreateMay, false)
	case p.draws.Chance(1, 6) && p.cell.load.shown[path] != "":
		p.checkLatest(ctx, o)
	case o.lock == nil:
		p.acquire(ctx, o)
	case p.draws.Chance(1, 4):
		p.check(ctx, o)
	case p.draws.Chance(1, 12), o.fenced && p.draws.Chance(1, 3):
		p.closeHandle(o)
	case p.draws.Chance(1, 6):
		p.guarded(ctx, o)
	default:
		p.release(ctx, o)
	}
}

func (p *program) has(path string) *opened {
	i := slices.IndexFunc(p.nodes, func(o *opened) bool { return o.path == path })
	if i < 0 {
		return nil
	}
	return p.nodes[i]
}

// open opens a node, in place of the handle that the program has on it. A parent
// that is missing is made, and may be ephemeral.
func (p *program) open(ctx context.Context, path string, create client.Creation, ephemeral bool) {
	p.openAs(ctx, path, manner{create: create, ephemeral: ephemeral, rights: allRights})
}

// openAs is open, with less rights or other names, and perhaps by a name below a
// directory that the program has open.
func (p *program) openAs(ctx context.Context, path string, how manner) {
	create := how.create
	if o := p.has(path); o != nil {
		p.closeHandle(o)
	}
	dir := above(path) == "/"
	opt := client.OpenOptions{Rights: how.rights, Create: create, LockDelay: p.delay(path)}
	in := linearizability.FileInput{Op: linearizability.FileOpen, Path: path, Create: linearizability.FileCreation(create)}
	if create != client.CreateNever {
		opt.Directory, opt.Ephemeral, opt.ACL = dir, how.ephemeral, how.names
		in.Kind, in.Ephemeral, in.Names = linearizability.FileDirectory, how.ephemeral, linearizability.FileNames(three(how.names))
		if !dir {
			opt.Contents = cmp.Or(how.text, p.value())
			in.Kind, in.Contents = linearizability.FilePlain, opt.Contents
		}
	}
	if how.dir != nil {
		in.Dir, in.Instance = how.dir.path, uint64(how.dir.stat.Instance)
	}
	var h *client.Handle
	out, ok := p.file(ctx, in, func(ctx context.Context) (linearizability.FileOutput, error) {
		var err error
		if how.dir != nil {
			h, err = how.dir.h.Open(ctx, path[len(inside(how.dir.path)):], opt)
		} else {
			h, err = p.client.Open(ctx, "/ls/local"+path, opt)
		}
		if err != nil {
			return linearizability.FileOutput{}, err
		}
		return linearizability.FileOutput{Created: h.Created(), Stat: fileStat(h.Opened())}, nil
	})
	switch {
	case h != nil:
		p.nodes = append(p.nodes, &opened{h: h, path: path, stat: h.Opened()})
		p.cell.minds.opens(p.believer(), p.nodes[len(p.nodes)-1])
	case ok && out.Code == linearizability.FileNotFound && !dir && create != client.CreateNever:
		p.open(ctx, above(path), client.CreateMay, above(path) != above(hotNode) && p.draws.Chance(1, 2))
	}
}

// delay draws a lock-delay: at times a longer one than there is (C7.06), on nodes
// that nobody has to lock in the end.
func (p *program) delay(path string) time.Duration {
	if path != hotNode && p.draws.Chance(1, 20) {
		return p.draws.Duration(30*time.Second, 2*time.Minute)
	}
	return p.draws.Duration(0, 2*p.cell.plan.Calls.Delay)
}

// on is a call on a node that is open.
func (p *program) on(ctx context.Context, o *opened, in linearizability.FileInput, do func(context.Context) (linearizability.FileOutput, error)) (linearizability.FileOutput, bool) {
	in.Path, in.Instance = o.path, uint64(o.stat.Instance)
	out, ok := p.file(ctx, in, do)
	if ok && out.Code == linearizability.FileGone {
		p.closeHandle(o)
	}
	return out, ok
}

// know notes metadata that were told.
func (o *opened) know(s client.Stat, err error) linearizability.FileOutput {
	var conflict *client.ConflictError
	if errors.As(err, &conflict) {
		s = conflict.Stat
	}
	if s.Kind != 0 {
		o.stat = s
	}
	return linearizability.FileOutput{Stat: fileStat(s)}
}

func (p *program) contents(ctx context.Context, o *opened) {
	p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileGet}, func(ctx context.Context) (linearizability.FileOutput, error) {
		text, s, err := o.h.Contents(ctx)
		out := o.know(s, err)
		out.Contents = text
		return out, err
	})
}

func (p *program) stat(ctx context.Context, o *opened) {
	p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileGetStat}, func(ctx context.Context) (linearizability.FileOutput, error) {
		s, err := o.h.Stat(ctx)
		return o.know(s, err), err
	})
}

func (p *program) readDir(ctx context.Context, o *opened) {
	p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileReadDir}, func(ctx context.Context) (out linearizability.FileOutput, err error) {
		children, err := o.h.ReadDir(ctx)
		for _, c := range children {
			out.Children = append(out.Children, linearizability.FileChild{Name: c.Name, Stat: fileStat(c.Stat)})
		}
		return out, err
	})
}

// generation is one of the contents that a program writes if they are those: any, the
// last that it was told of, or one that was never.
func (p *program) generation(o *opened) client.ContentGen {
	switch p.draws.Weighted([]uint32{5, 5, 1}) {
	case 0:
		return 0
	case 1:
		return o.stat.Content
	}
	return max(o.stat.Content, 2) - 1
}

func (p *program) setContents(ctx context.Context, o *opened, when client.ContentGen) {
	p.write(ctx, o, p.value(), when)
}

func (p *program) write(ctx context.Context, o *opened, text string, when client.ContentGen) {
	in := linearizability.FileInput{Op: linearizability.FileSet, Contents: text, When: uint64(when)}
	p.on(ctx, o, in, func(ctx context.Context) (linearizability.FileOutput, error) {
		s, err := o.h.SetContents(ctx, in.Contents, when)
		p.cell.sized(in.Contents, err)
		return o.know(s, err), err
	})
}

func (p *program) setACL(ctx context.Context, o *opened) {
	const all = "everybody"
	p.setNames(ctx, o, client.ACLNames{Read: all, Write: all, Change: all})
}

func (p *program) setNames(ctx context.Context, o *opened, names client.ACLNames) {
	in := linearizability.FileInput{Op: linearizability.FileSetNames, Names: linearizability.FileNames(three(names))}
	p.on(ctx, o, in, func(ctx context.Context) (linearizability.FileOutput, error) {
		s, err := o.h.SetACL(ctx, names, 0)
		return o.know(s, err), err
	})
}

func (p *program) remove(ctx context.Context, o *opened) {
	_, ok := p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileDelete}, func(ctx context.Context) (linearizability.FileOutput, error) {
		return linearizability.FileOutput{}, o.h.Delete(ctx)
	})
	if ok {
		p.closeHandle(o)
	}
}

// closeHandle never fails, but for want of an answer. It has time of its own, whatever
// is left of that of the call which found that the handle is of no more use.
func (p *program) closeHandle(o *opened) {
	p.nodes = slices.DeleteFunc(p.nodes, func(x *opened) bool { return x == o })
	p.cell.minds.closes(o)
	ctx, cancel := p.rt.WithTimeout(context.Background(), p.patience())
	defer cancel()
	err := o.h.Close(ctx)
	if err != nil && p.strict && !p.rt.Env().Dead() && !errors.Is(err, client.ErrSessionExpired) {
		p.cell.world.Break("L1", "a handle could not be closed after healing: %v", err)
	}
}

// acquire asks for the lock in some mode, waiting or not.
func (p *program) acquire(ctx context.Context, o *opened) {
	mode := client.Exclusive
	if p.draws.Chance(1, 3) {
		mode = client.Shared
	}
	// Who holds a lock does not wait for another: two could wait for each other.
	wait := !slices.ContainsFunc(p.nodes, func(x *opened) bool { return x.lock != nil })
	wait = wait && (p.cell.load.finale || p.draws.Chance(2, 3))
	p.take(ctx, o, mode, wait)
}

// take asks for the lock. Who gets it believes to hold it.
func (p *program) take(ctx context.Context, o *opened, mode client.Mode, wait bool) {
	ctx, cancel := p.rt.WithTimeout(ctx, p.patience())
	defer cancel()
	var lock *client.Lock
	var err error
	if wait {
		lock, err = o.h.Acquire(ctx, mode)
	} else {
		lock, err = o.h.TryAcquire(ctx, mode)
	}
	if p.rt.Env().Dead() {
		return
	}
	p.answered(err, o.path == hotNode, "acquire")
	switch {
	case err == nil:
		o.lock, p.sequencer = lock, lock.Sequencer()
		p.cell.load.shown[o.path] = p.sequencer
		p.cell.minds.holds(p.believer(), o, lock, mode)
	case errors.Is(err, client.ErrGone), errors.Is(err, client.ErrPoisoned):
		p.closeHandle(o)
	}
}

// release gives the lock back, if it is still there.
func (p *program) release(ctx context.Context, o *opened) {
	lock := o.lock
	o.lock = nil
	p.cell.minds.releases(lock)
	ctx, cancel := p.rt.WithTimeout(ctx, p.patience())
	defer cancel()
	p.late = false // a lock that went with its handle is released without asking the cell
	p.heard(ctx, o, "release", lock.Release(ctx))
}

// heard takes in how a call by a handle ended, and closes one whose node is gone.
func (p *program) heard(ctx context.Context, o *opened, name string, err error) {
	if p.rt.Env().Dead() {
		return
	}
	p.answered(err, o.path == hotNode, name)
	if errors.Is(err, client.ErrGone) {
		p.closeHandle(o)
	}
}

// checkLatest asks whether the sequencer is valid that anybody was given last: of a
// lock that is held, or was released since.
func (p *program) checkLatest(ctx context.Context, o *opened) {
	ctx, cancel := p.rt.WithTimeout(ctx, p.patience())
	defer cancel()
	p.heard(ctx, o, "check-sequencer", o.h.CheckSequencer(ctx, p.cell.load.shown[o.path]))
}

// check asks whether the sequencer of a lock is valid: it is while the lock is held,
// unless somebody has deleted its node, or tied the handle to another sequencer.
func (p *program) check(ctx context.Context, o *opened) {
	ctx, cancel := p.rt.WithTimeout(ctx, p.patience())
	defer cancel()
	err := o.h.CheckSequencer(ctx, o.lock.Sequencer())
	if p.rt.Env().Dead() {
		return
	}
	if errors.Is(err, client.ErrStaleSequencer) && o.lock.Held() && !o.fenced && p.cell.rights.at(o.ref()) != nil {
		p.cell.world.Break("S8", "the sequencer of %s was found stale while its lock is held: %v", o.path, err)
	}
	p.answered(err, o.path == hotNode, "check-sequencer")
	if errors.Is(err, client.ErrGone) {
		p.closeHandle(o)
	}
}

// patience is how long the call that begins now may take. One that begins after
// healing must succeed.
func (p *program) patience() time.Duration {
	p.late = p.cell.suffix.lost[p.client]
	if p.strict = p.cell.load.finale; p.strict {
		return finalePatience
	}
	return p.cell.plan.Calls.Patience
}

// leave gives back all locks: others wait for them.
func (p *program) leave(ctx context.Context) {
	for _, o := range slices.Clone(p.nodes) {
		if o.lock != nil && !p.expired {
			p.release(ctx, o)
		}
	}
}

// finaleOfNodes opens, locks, writes and releases the contended node.
func (p *program) finaleOfNodes(ctx context.Context) {
	o := p.has(hotNode)
	if o == nil {
		p.open(ctx, hotNode, client.CreateMay, false)
		return
	}
	if o.lock == nil {
		p.acquire(ctx, o)
	}
	if p.has(hotNode) == o { // else it was deleted
		p.setContents(ctx, o, 0)
	}
	if o.lock != nil {
		p.release(ctx, o)
	}
}
