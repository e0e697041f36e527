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
	stat client.Stat // the latest that the program knows
	lock *client.Lock

	session   api.SessionID // in which it was opened
	id        api.HandleID
	delay     int64  // the lock-delay, in nanoseconds
	granted   int    // number of the call in the history of locks that got the lock, plus one; 0: none
	fenced    bool   // a sequencer may be tied to it
	tied      bool   // one is: the program got the answer
	shared    bool   // other programs have it, too
	sequencer string // the one that is tied to it, if the program knows; otherwise ""
	rights    client.Rights
	watch     Watch // of the events that it receives; nil: none
	news      *news // that it received and its program has not looked at
}

// spare is a lock that a program has released, but that its handle may have kept.
type spare struct {
	granted   int // as in opened
	sequencer string
}

// Ref returns the node to which the handle is bound.
func (o *opened) Ref() api.Ref {
	path, err := api.ParsePath(o.path)
	if err != nil {
		panic(err)
	}
	return api.Ref{Path: path, Instance: o.stat.Instance}
}

// IsEphemeral reports whether the node is ephemeral.
func (o *opened) IsEphemeral() bool { return o.stat.Ephemeral }

// OpenedIn returns the session in which the handle was opened.
func (o *opened) OpenedIn() api.SessionID { return o.session }

// Number returns the id that the cell gave the handle.
func (o *opened) Number() api.HandleID { return o.id }

func (p *thread) believer() model.Believer { return Client{Runtime: p.rt, Client: p.client} }

// fileWork is a thread that works on files and directories.
type fileWork struct {
	*thread
	nodes   []*opened // what it has open, the oldest first
	choose  fileChoice
	listens listener
	caching *sim.Draw // decides what is done only to test caches

	asked    client.Rights // that the present Open asks for
	uncached bool          // the present read asks the master, whatever is in the cache
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

// open opens a node, and first closes the handle that the program has on it. It makes a missing
// parent, which may be ephemeral.
func (p *fileWork) open(ctx context.Context, path string, create client.Creation, ephemeral bool) {
	p.openAs(ctx, path, manner{create: create, ephemeral: ephemeral, rights: allRights})
}

// openAs is open with fewer rights or other ACL names, and perhaps relative to a directory that the
// program has open.
func (p *fileWork) openAs(ctx context.Context, path string, how manner) {
	create := how.create
	if o := p.has(path); o != nil {
		p.closeHandle(o)
	}
	dir := isDir(path)
	opt := client.OpenOptions{Rights: how.rights, Create: create, LockDelay: p.choose.delay(path), Events: p.listens.drawMask() | how.events}
	if keep := p.all.plan.Caches.KeepLock; keep > 0 && p.caching.Chance(1, 2) {
		opt.KeepLock = keep
	}
	if how.rights == client.Read && p.odd.Chance(1, 2) {
		opt.Rights = 0 // means Read, too
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
	judge := p.judgeTied(how.dir)
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
		p.checkName(h, path)
		o := &opened{h: h, path: path, stat: h.StatAtOpen(), session: p.openedIn(), delay: delay, rights: how.rights}
		o.id = p.all.witness.OnHandleGot(p.client, h, how.rights)
		p.all.watching.OnHandleGot(o.id, opt.KeepLock > 0 || opt.Events&client.WantLockWanted != 0)
		p.nodes = append(p.nodes, o)
		p.all.beliefs.OnOpen(p.believer(), p.nodes[len(p.nodes)-1])
		if opt.Events != 0 {
			p.listens.listen(o, opt.Events)
		}
	case ok && out.Code == linearizability.FileNotFound && model.Parent(path) != "/" && create != client.CreateNever:
		p.open(ctx, model.Parent(path), client.CreateMay, model.Parent(path) != model.Parent(HotNode) && p.draws.Chance(1, 2))
	}
}

// checkName checks the name of a new handle.
func (p *fileWork) checkName(h *client.Handle, node string) {
	if path.Clean(h.Name()) != path.Clean("/ls/local"+node) {
		p.all.world.Break("S14", "a handle of %s says that it is one of %s", node, h.Name())
	}
}

// on makes a call on a node that the program has open.
func (p *fileWork) on(ctx context.Context, o *opened, in linearizability.FileInput, do func(context.Context) (linearizability.FileOutput, error)) (linearizability.FileOutput, bool) {
	in.Path, in.Instance = o.path, uint64(o.stat.Instance)
	judge := p.judgeTied(o)
	out, ok := p.file(ctx, in, do)
	judge(out, ok)
	p.checkTied(o, p.trail)
	p.closeIfGone(o, out, ok)
	return out, ok
}

// closeIfGone closes a handle if a definite answer said that its node is gone.
func (p *fileWork) closeIfGone(o *opened, out linearizability.FileOutput, ok bool) {
	if ok && out.Code == linearizability.FileGone {
		p.closeUseless(o, client.ErrGone)
	}
}

// noteStat notes metadata that an answer contains.
func (o *opened) noteStat(s client.Stat, err error) linearizability.FileOutput {
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
		out := o.noteStat(s, err)
		out.Contents = text
		return out, err
	})
}

func (p *fileWork) stat(ctx context.Context, o *opened) {
	p.on(ctx, o, linearizability.FileInput{Op: linearizability.FileGetStat}, func(ctx context.Context) (linearizability.FileOutput, error) {
		s, err := o.h.Stat(p.reading(ctx))
		return o.noteStat(s, err), err
	})
}

func (p *fileWork) setContents(ctx context.Context, o *opened, when client.ContentGen) {
	p.write(ctx, o, p.text(), when)
}

func (p *fileWork) write(ctx context.Context, o *opened, text string, when client.ContentGen) {
	in := linearizability.FileInput{Op: linearizability.FileSet, Contents: text, When: uint64(when)}
	p.on(ctx, o, in, func(ctx context.Context) (linearizability.FileOutput, error) {
		s, err := o.h.SetContents(ctx, in.Contents, when)
		p.all.checkSize(in.Contents, err)
		return o.noteStat(s, err), err
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
		return o.noteStat(s, err), err
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

// closeUseless closes a handle after an answer has said that it cannot be used any more.
func (p *fileWork) closeUseless(o *opened, why error) {
	if o.lock != nil && !p.rt.Env().Dead() {
		p.all.beliefs.OnLoss(p.believer(), o.Ref(), o.lock, why)
	}
	p.closeHandle(o)
}

// closeHandle fails only for lack of an answer. It has its own timeout, whatever is left of that of
// the call that found the handle useless.
func (p *fileWork) closeHandle(o *opened) {
	p.nodes = slices.DeleteFunc(p.nodes, func(x *opened) bool { return x == o })
	p.all.beliefs.OnClose(o)
	if have := p.all.handles[p.client]; have != nil && have.h == o.h {
		delete(p.all.handles, p.client)
	}
	delete(p.all.spares, o.h)
	p.all.witness.OnHandleClose(p.client, o.h)
	ctx, cancel := p.rt.WithTimeout(context.Background(), p.patience())
	defer cancel()
	err := o.h.Close(ctx)
	p.checkGaveBack(err)
	if o.lock != nil && !p.rt.Env().Dead() {
		p.letGo(o, o.lock)
	}
	if err != nil && p.strict && !p.rt.Env().Dead() && !errors.Is(err, client.ErrSessionExpired) {
		p.all.world.Break("L1", "a handle could not be closed after healing: %v", err)
	}
	p.checkFreed(o, err)
	at := p.all.world.Now()
	if _, err := o.h.Stat(ctx); (err == nil || p.all.world.Now() > at) && !p.rt.Env().Dead() {
		p.all.world.Break("S14", "a call on a closed handle of %s asked the cell: %v", o.path, err)
	}
}

// checkFreed checks that a handle that the program has closed no longer holds its lock, if err, the
// error of Close, is nil. It checks nothing if the session is over: then the cell frees the locks
// when it ends the session. The session may have ended at this very instant, before another call
// could report it.
func (p *fileWork) checkFreed(o *opened, err error) {
	w, owner := p.all.witness, model.Owner{Session: o.session, Handle: o.id}
	if o.lock == nil || err != nil || p.rt.Env().Dead() || w.HasLost(p.client) || w.IsForgetful(o.session) || isOver(p.client.Status().Status, o.session) {
		return
	}
	if w.Holds(owner, o.Ref()) {
		p.all.world.Break("S8", "client %d was told that handle %v is closed, and it holds the lock of %s still", p.id, owner, o.path)
	}
}

// isOver reports whether s is not the present session of a client, or is no longer open.
func isOver(now session.Status, s api.SessionID) bool {
	return now.Session != s || now.State != session.Open
}

// patience returns how long the call that begins now may take. A call that begins after healing
// must succeed.
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
	if p.has(HotNode) == o { // otherwise it was deleted
		p.setContents(ctx, o, 0)
	}
	if o.lock != nil {
		p.release(ctx, o)
	}
}
