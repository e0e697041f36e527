package workload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// manner is how a program opens a node.
type manner struct {
	create    client.Creation
	ephemeral bool
	rights    client.Rights
	names     client.ACLNames  // if the node is made
	dir       *opened          // the directory above, whose handle is used; nil: none
	text      string           // of an ACL file; "": any
	events    client.EventMask // that the handle asks for in any case
}

// allRights are the rights that programs ask for if rights do not matter to them.
const allRights = client.Read | client.Write | client.ChangeACL

// rightsWork is a thread that uses nodes under ACL files that change.
type rightsWork struct{ *lockWork }

// turn works on nodes that only some clients may use. Their ACL files are made, changed and deleted
// meanwhile, and the handles have few rights, or are tied to a sequencer, or poisoned. A program
// that lacks a right tries something else; handles.Rights checks whether the refusal was right.
func (p *rightsWork) turn(ctx context.Context) {
	path := p.choose.path()
	if p.draws.Chance(1, 3) {
		path = HotNode
	}
	switch {
	case path == HotNode && p.draws.Chance(1, 2), path == model.Parent(HotNode):
		p.lockWork.turn(ctx)
	case path == HotNode:
		p.fileWork.turn(ctx)
	case p.draws.Chance(1, 5):
		p.editACL(ctx)
	default:
		p.withLess(ctx, path)
	}
}

// withLess makes calls on a node, usually with fewer than all rights.
func (p *rightsWork) withLess(ctx context.Context, path string) {
	o := p.has(path)
	if o == nil {
		p.openAs(ctx, path, p.anyOpening(path))
		return
	}
	switch p.draws.Int(12) {
	case 0, 1:
		p.setNames(ctx, o, p.names())
	case 2, 3:
		p.setContents(ctx, o, p.choose.generation(o))
	case 4:
		p.stat(ctx, o)
	case 5:
		p.remove(ctx, o)
	case 6, 7:
		p.lockOrFree(ctx, o)
	case 8:
		p.fence(ctx, o)
	case 9:
		p.poison(ctx, o)
	default:
		p.openAs(ctx, path, p.anyOpening(path))
	}
}

func (p *rightsWork) lockOrFree(ctx context.Context, o *opened) {
	if o.lock == nil {
		p.acquire(ctx, o)
		return
	}
	if p.draws.Chance(1, 2) {
		p.ownSequencer(ctx, o)
	}
	p.release(ctx, o)
}

// anyOpening draws how to open a node.
func (p *rightsWork) anyOpening(path string) manner {
	o := manner{
		create: client.Creation(p.draws.Weighted([]uint32{2, 4, 1})), ephemeral: p.draws.Chance(1, 6),
		rights: client.Rights(1 + p.draws.Int(int(allRights))), names: p.names(),
	}
	switch p.draws.Int(4) {
	case 0, 1:
		o.dir = p.has(model.Parent(path))
	case 2:
		o.dir = p.has(model.Parent(model.Parent(path)))
	}
	return o
}

// names draws the ACL names of a node: of the file that lists everybody, of files that may exist
// and may list the program, and of a file that never exists.
func (p *rightsWork) names() client.ACLNames {
	one := func() api.ACLName {
		if p.odd.Chance(1, 16) { // the name of a directory, if it exists
			return api.ACLName(subdir[1:])
		}
		switch n := p.draws.Int(aclFiles + 4); {
		case n < aclFiles:
			return api.ACLName(aclFile(n))
		case n == aclFiles:
			return "missing"
		}
		return "everybody"
	}
	return client.ACLNames{Read: one(), Write: one(), Change: one()}
}

// aclFiles is how many ACL files programs make.
const aclFiles = 4

func aclFile(n int) string { return fmt.Sprintf("a%d", n) }

// editACL makes an ACL file, writes its list of principals, or deletes it.
func (p *rightsWork) editACL(ctx context.Context) {
	path := model.ACLDir + "/" + aclFile(p.draws.Int(aclFiles))
	if p.odd.Chance(1, 6) {
		p.oddACL(ctx)
		return
	}
	o := p.has(path)
	switch {
	case o == nil:
		p.openAs(ctx, path, manner{create: client.CreateMay, rights: allRights, text: p.listed()})
	case p.draws.Chance(1, 6):
		p.remove(ctx, o)
	default:
		p.write(ctx, o, p.listed(), 0)
	}
}

// oddACL does unusual things that a cell must tolerate: it makes or deletes a directory among the
// ACL files, rewrites the file that lists everybody, or tries to delete the directory of all ACL
// files, which every cell has.
func (p *rightsWork) oddACL(ctx context.Context) {
	path := [...]string{model.ACLDir + subdir, model.ACLDir + "/everybody", model.ACLDir}[p.odd.Int(3)]
	o := p.has(path)
	switch {
	case o == nil:
		p.openAs(ctx, path, manner{create: client.CreateMay, rights: allRights})
	case path == model.ACLDir:
		p.unmake(ctx, o)
	case path == model.ACLDir+subdir:
		p.remove(ctx, o)
	default:
		p.write(ctx, o, "# all\n*", 0)
	}
}

// unmake tries to delete the ACL directory. The cell must answer Invalid, whatever is in the
// directory.
func (p *rightsWork) unmake(ctx context.Context, o *opened) {
	err := p.unrecorded(ctx, o, func(ctx context.Context) error { return o.h.Delete(ctx) })
	if err == nil || errors.Is(err, client.ErrNotEmpty) {
		p.all.world.Break("S16", "to delete %s is answered as if it could be: %v", o.path, err)
	}
	p.finishCall(ctx, o, "delete", err)
}

// listed draws the contents of an ACL file: some of the clients, or all, and some lines that list
// no principal.
func (p *rightsWork) listed() string {
	var b strings.Builder
	b.WriteString("# some\n")
	for i := range p.all.plan.Clients {
		name := string(model.PrincipalOn(sim.FirstClient + sim.Addr(i)))
		if p.draws.Chance(1, 2) {
			fmt.Fprintf(&b, "%s\n", name)
		} else if p.odd.Chance(1, 2) { // a typing error: the line lists no principal
			slips := [...]string{strings.ToUpper(name), " " + name, name + " ", name + "\r", name[:len(name)-1], name + "0x"}
			fmt.Fprintf(&b, "%s\n", slips[p.odd.Int(len(slips))])
		}
	}
	if p.draws.Chance(1, 8) {
		b.WriteString("*\n")
	}
	if p.odd.Chance(1, 2) { // the last line needs no newline
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// guarded ties the handle of a held lock to its sequencer, and changes the node by that handle,
// while the lock is held and afterwards.
func (p *lockWork) guarded(ctx context.Context, o *opened) {
	p.fence(ctx, o)
	for range 1 + p.draws.Int(3) {
		switch {
		case p.has(o.path) != o:
			return
		case p.draws.Chance(1, 6):
			p.remove(ctx, o)
		case p.draws.Chance(1, 3) && o.lock != nil:
			p.release(ctx, o)
		default:
			p.setContents(ctx, o, p.choose.generation(o))
		}
	}
}

// fence ties a handle to a sequencer: of the lock that the program holds by it, of another lock
// that it holds or held, or to a string that is no sequencer.
func (p *lockWork) fence(ctx context.Context, o *opened) {
	q := "none"
	if o.lock != nil && p.draws.Chance(1, 2) {
		q = o.lock.Sequencer()
	} else if p.sequencer != "" && p.draws.Chance(5, 6) {
		q = p.sequencer
	}
	p.tie(ctx, o, q)
}

// poison poisons a handle, perhaps while an Acquire waits on it, and closes it later.
func (p *rightsWork) poison(ctx context.Context, o *opened) {
	o.h.Poison()
	err := p.unrecorded(ctx, o, func(ctx context.Context) error {
		_, err := o.h.Stat(ctx)
		return err
	})
	if err == nil {
		p.all.world.Break("S14", "a call on a poisoned handle of %s had an answer", o.path)
	}
	p.answered(err, false, "stat")
	if p.rt.Sleep(ctx, p.draws.Duration(0, 100*time.Millisecond)) == nil {
		p.closeHandle(o)
	}
}

// unrecorded makes a call by a handle without recording it in a history.
func (p *fileWork) unrecorded(ctx context.Context, o *opened, do func(context.Context) error) error {
	ctx, cancel := p.rt.WithTimeout(ctx, p.patience())
	defer cancel()
	trail := &client.CallID{}
	p.latest = trail
	err := do(client.WithCallID(ctx, trail))
	p.checkTied(o, trail)
	p.shut = p.mayBeShut(o)
	return err
}

// checkTied checks the call that a program has just made by a handle, if the program knew before
// that the handle is tied to a sequencer.
func (p *fileWork) checkTied(o *opened, t *client.CallID) {
	if f := p.all.witness.Untied(model.Call{Session: t.Session, Seq: t.Seq}); o.tied && f != (model.Finding{}) {
		p.all.world.Break(f.ID, "the handle of %s is tied to a sequencer, as its program knows, and %s", o.path, f.Text)
	}
}

// mayBeShut reports whether a handle may be closed although its program has not closed it: see
// answered.
func (p *fileWork) mayBeShut(o *opened) bool {
	return o.shared || p.all.witness.IsForgetful(o.session)
}
