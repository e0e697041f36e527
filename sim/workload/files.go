package workload

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// HotNode is the contended file, and lock.
const HotNode = "/d0/hot"

// opened is a handle of a program, and what the program knows of the node.
type opened struct {
	h    *client.Handle
	path string
	stat client.Stat // as last told
	lock *client.Lock

	session   api.SessionID // that it was opened in
	id        api.HandleID
	delay     int64  // after it failed, in nanoseconds
	granted   int    // the call in the history of locks that got the lock, plus one; 0: none
	fenced    bool   // a sequencer may be tied to it
	tied      bool   // one is, as the program was told
	shared    bool   // other programs have it, too
	sequencer string // the one that is, as far as the program knows; "": it does not
	rights    client.Rights
	watch     Watch // of the events that it hears; nil: none
}

// spare is a lock that a program has released, and its handle may have kept.
type spare struct {
	granted   int // as in opened
	sequencer string
}

// Ref is the node that the handle is bound to.
func (o *opened) Ref() api.Ref {
	path, err := api.ParsePath(o.path)
	if err != nil {
		panic(err)
	}
	return api.Ref{Path: path, Instance: o.stat.Instance}
}

// IsEphemeral says that the node is.
func (o *opened) IsEphemeral() bool { return o.stat.Ephemeral }

// OpenedIn is the session that the handle was opened in.
func (o *opened) OpenedIn() api.SessionID { return o.session }

// Number is what the cell calls the handle.
func (o *opened) Number() api.HandleID { return o.id }

func (p *thread) believer() model.Believer { return Client{Runtime: p.rt, Client: p.client} }

// fileWork is a thread that works on files and directories.
type fileWork struct {
	*thread
	nodes   []*opened // what it has open, the oldest first
	choose  fileChoice
	listens listener
	caching *sim.Draw // what is done for the sake of caches

	asked    client.Rights // of the present Open
	uncached bool          // the present read asks the master, whatever the client has
	just     bool          // the present call asks for names, and no metadata
}

// turn opens, reads, writes, lists and deletes nodes.
func (p *fileWork) turn(ctx context.Context) {
	path := p.choose.path()
	o := p.has(path)
	if o == nil {
		p.open(ctx, path, client.Creation(p.draws.Weighted([]uint32{2, 4, 1})), p.draws.Chance(1, 6))
		return
	}
	dir := o.stat.Kind == api.Directory
	switch p.draws.Weighted([]uint32{4, 3, 4, 1, 1, 2, 2}) {
	case 0:
		if dir && p.all.plan.Caches.On && p.caching.Chance(1, 2) {
			p.names(ctx, o)
			return
		}
		if dir {
			p.readDir(ctx, o)
			return
		}
		p.contents(ctx, o)
	case 1:
		p.stat(ctx, o)
	case 2:
		p.setContents(ctx, o, p.choose.generation(o))
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

func (p *fileWork) has(path string) *opened {
	i := slices.IndexFunc(p.nodes, func(o *opened) bool { return o.path == path })
	if i < 0 {
		return nil
	}
	return p.nodes[i]
}

// open opens a node, in place of the handle that the program has on it. A parent
// that is missing is made, and may be ephemeral.
func (p *fileWork) open(ctx context.Context, path string, create client.Creation, ephemeral bool) {
	p.openAs(ctx, path, manner{create: create, ephemeral: ephemeral, rights: allRights})
}

// openAs is open, with less rights or other names, and perhaps by a name below a
// directory that the program has open.
func (p *fileWork) openAs(ctx context.Context, path string, how manner) {
	create := how.create
	if o := p.has(path); o != nil {
		p.closeHandle(o)
	}
	dir := isDir(path)
	opt := client.OpenOptions{Rights: how.rights, Create: create, LockDelay: p.choose.delay(path), Events: p.listens.wants()}
	if keep := p.all.plan.Caches.KeepLock; keep > 0 && p.caching.Chance(1, 2) {
		opt.KeepLock = keep
	}
	if how.rights == client.Read && p.odd.Chance(1, 2) {
		opt.Rights = 0 // which is the same
	}
	delay := int64(model.DelayOf(opt.LockDelay))
	in := linearizability.FileInput{Op: linearizability.FileOpen, Path: path, Create: linearizability.FileCreation(create)}
	if create != client.CreateNever {
		opt.Directory, opt.Ephemeral, opt.ACL = dir, how.ephemeral, how.names
		in.Kind, in.Ephemeral, in.Names = linearizability.FileDirectory, how.ephemeral, linearizability.FileNames(model.ACLNames(how.names))
		if !dir {
			opt.Contents = cmp.Or(how.text, p.text())
			in.Kind, in.Contents = linearizability.FilePlain, opt.Contents
		}
	}
	if how.dir != nil {
		in.Dir, in.Instance = how.dir.path, uint64(how.dir.stat.Instance)
	}
	var h *client.Handle
	p.asked, p.uncached = how.rights, false
	judge := p.judgesTied(how.dir)
	out, ok := p.file(ctx, in, func(ctx context.Context) (linearizability.FileOutput, error) {
		var err error
		if how.dir != nil {
			h, err = how.dir.h.Open(ctx, path[len(model.Inside(how.dir.path)):], opt)
		} else {
			h, err = p.client.Open(ctx, "/ls/local"+path, opt)
		}
		if err != nil {
			return linearizability.FileOutput{}, err
		}
		return linearizability.FileOutput{Created: h.Created(), Stat: model.FileStat(h.StatAtOpen())}, nil
	})
	judge(out, ok)
	switch {
	case h != nil:
		p.named(h, path)
		o := &opened{h: h, path: path, stat: h.StatAtOpen(), session: p.openedIn(), delay: delay, rights: how.rights}
		o.id = p.all.witness.OnHandleGot(p.client, h, how.rights)
		p.all.watching.OnHandleGot(o.id, opt.KeepLock > 0 || opt.Events&client.WantLockWanted != 0)
		p.nodes = append(p.nodes, o)
		p.all.minds.OnOpen(p.believer(), p.nodes[len(p.nodes)-1])
		if opt.Events != 0 {
			p.listens.listen(o, opt.Events)
		}
	case ok && out.Code == linearizability.FileNotFound && model.Parent(path) != "/" && create != client.CreateNever:
		p.open(ctx, model.Parent(path), client.CreateMay, model.Parent(path) != model.Parent(HotNode) && p.draws.Chance(1, 2))
	}
}

// named looks at the name of a new handle.
func (p *fileWork) named(h *client.Handle, node string) {
	if path.Clean(h.Name()) != path.Clean("/ls/local"+node) {
		p.all.world.Break("S14", "a handle of %s says that it is one of %s", node, h.Name())
	}
}

// on is a call on a node that is open.
func (p *fileWork) on(ctx context.Context, o *opened, in linearizability.FileInput, do func(context.Context) (linearizability.FileOutput, error)) (linearizability.FileOutput, bool) {
	in.Path, in.Instance = o.path, uint64(o.stat.Instance)
	judge := p.judgesTied(o)
	out, ok := p.file(ctx, in, do)
	judge(out, ok)
	p.tied(o, p.trail)
	p.mayLose(o, out, ok)
	return out, ok
}

// mayLose gives a handle back where a definite answer said that its node is gone.
func (p *fileWork) mayLose(o *opened, out linearizability.FileOutput, ok bool) {
	if ok && out.Code == linearizability.FileGone {
		p.loses(o, client.ErrGone)
	}
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
	return linearizability.FileOutput{Stat: model.FileStat(s)}
}

func (p *fileWork) contents(ctx context.Context, o *opened) {
	p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileGet}, func(ctx context.Context) (linearizability.FileOutput, error) {
		text, s, err := o.h.Contents(p.reading(ctx))
		out := o.know(s, err)
		out.Contents = text
		return out, err
	})
}

func (p *fileWork) stat(ctx context.Context, o *opened) {
	p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileGetStat}, func(ctx context.Context) (linearizability.FileOutput, error) {
		s, err := o.h.Stat(p.reading(ctx))
		return o.know(s, err), err
	})
}

func (p *fileWork) setContents(ctx context.Context, o *opened, when client.ContentGen) {
	p.write(ctx, o, p.text(), when)
}

func (p *fileWork) write(ctx context.Context, o *opened, text string, when client.ContentGen) {
	in := linearizability.FileInput{Op: linearizability.FileSet, Contents: text, When: uint64(when)}
	p.on(ctx, o, in, func(ctx context.Context) (linearizability.FileOutput, error) {
		s, err := o.h.SetContents(ctx, in.Contents, when)
		p.all.sized(in.Contents, err)
		return o.know(s, err), err
	})
}

func (p *fileWork) setACL(ctx context.Context, o *opened) {
	const all = "everybody"
	p.setNames(ctx, o, client.ACLNames{Read: all, Write: all, Change: all})
}

func (p *fileWork) setNames(ctx context.Context, o *opened, names client.ACLNames) {
	when := p.choose.namesAt(o)
	in := linearizability.FileInput{Op: linearizability.FileSetNames, Names: linearizability.FileNames(model.ACLNames(names)), When: uint64(when)}
	p.on(ctx, o, in, func(ctx context.Context) (linearizability.FileOutput, error) {
		s, err := o.h.SetACL(ctx, names, when)
		return o.know(s, err), err
	})
}

func (p *fileWork) remove(ctx context.Context, o *opened) {
	_, ok := p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileDelete}, func(ctx context.Context) (linearizability.FileOutput, error) {
		return linearizability.FileOutput{}, o.h.Delete(ctx)
	})
	if ok {
		p.closeHandle(o)
	}
}

// loses closes a handle of which an answer has said that it is of no more use.
func (p *fileWork) loses(o *opened, why error) {
	if o.lock != nil && !p.rt.Env().Dead() {
		p.all.minds.OnLoss(p.believer(), o.Ref(), o.lock, why)
	}
	p.closeHandle(o)
}

// closeHandle never fails, but for want of an answer. It has time of its own, whatever
// is left of that of the call which found that the handle is of no more use.
func (p *fileWork) closeHandle(o *opened) {
	p.nodes = slices.DeleteFunc(p.nodes, func(x *opened) bool { return x == o })
	p.all.minds.OnClose(o)
	if have := p.all.handles[p.client]; have != nil && have.h == o.h {
		delete(p.all.handles, p.client)
	}
	delete(p.all.spares, o.h)
	p.all.witness.OnHandleClose(p.client, o.h)
	ctx, cancel := p.rt.WithTimeout(context.Background(), p.patience())
	defer cancel()
	err := o.h.Close(ctx)
	p.freed(err)
	if o.lock != nil && !p.rt.Env().Dead() {
		p.lets(o, o.lock)
	}
	if err != nil && p.strict && !p.rt.Env().Dead() && !errors.Is(err, client.ErrSessionExpired) {
		p.all.world.Break("L1", "a handle could not be closed after healing: %v", err)
	}
	p.hasFreed(o, err)
	at := p.all.world.Now()
	if _, err := o.h.Stat(ctx); (err == nil || p.all.world.Now() > at) && !p.rt.Env().Dead() {
		p.all.world.Break("S14", "a call on a closed handle of %s asked the cell: %v", o.path, err)
	}
}

// hasFreed checks that the lock of a handle that the program has closed is free for others, where err,
// of Close, says that the handle is closed. A session that is over frees its locks when the cell says so;
// it may have ended at this very instant, and its program has not heard of it by another call.
func (p *fileWork) hasFreed(o *opened, err error) {
	w, owner := p.all.witness, model.Owner{Session: o.session, Handle: o.id}
	if o.lock == nil || err != nil || p.rt.Env().Dead() || w.HasLost(p.client) || w.IsForgetful(o.session) || isOver(p.client.Status().Status, o.session) {
		return
	}
	if w.Holds(owner, o.Ref()) {
		p.all.world.Break("S8", "client %d was told that handle %v is closed, and it holds the lock of %s still", p.id, owner, o.path)
	}
}

// isOver says that a session is not the present one of a client, or that the client says that it is over.
func isOver(now session.Status, s api.SessionID) bool {
	return now.Session != s || now.State != session.Open
}

// patience is how long the call that begins now may take. One that begins after
// healing must succeed.
func (p *thread) patience() time.Duration {
	p.late, p.strict = p.all.witness.HasLost(p.client), p.all.Finale
	return p.all.patience()
}

// finaleOfNodes opens, locks, writes and releases the contended node.
func (p *lockWork) finaleOfNodes(ctx context.Context) {
	o := p.has(HotNode)
	if o == nil {
		p.open(ctx, HotNode, client.CreateMay, false)
		return
	}
	if o.lock == nil {
		p.acquire(ctx, o)
	}
	if p.has(HotNode) == o { // else it was deleted
		p.setContents(ctx, o, 0)
	}
	if o.lock != nil {
		p.release(ctx, o)
	}
}
