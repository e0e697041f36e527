package cell

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// rightsBook says who may do what to which node (S16), from the commands in the
// order of the log and the rules of the paper, and from nothing that the product
// has looked up: which nodes there are, under which ACL names, and whom the files
// of the ACL directory list at this place of the log.
//
// It is asked both ways: nobody gets a handle without the rights, and nobody is
// refused for rights that he has.
type rightsBook struct {
	world    *sim.World
	who      map[api.SessionID]api.Principal // of sessions that are alive
	opened   map[api.SessionID]api.Principal // of all that ever were
	nodes    map[string]*governed            // by path
	epoch    api.Epoch
	version  int                      // of what decides about rights
	began    int                      // the version with which the epoch began
	executed map[model.Call]api.Epoch // Opens in the log: the epoch that they were executed in
	changed  func()
	verdicts map[bool]uint64 // Opens that were judged: whether they were allowed
}

// governed is a node and who governs it: the names of three ACL files.
type governed struct {
	instance api.Instance
	names    [3]string
	text     string // of a file of the ACL directory
}

func newRightsBook(w *sim.World) *rightsBook {
	return &rightsBook{
		world: w, who: map[api.SessionID]api.Principal{}, opened: map[api.SessionID]api.Principal{}, nodes: map[string]*governed{},
		executed: map[model.Call]api.Epoch{}, changed: func() {}, verdicts: map[bool]uint64{},
	}
}

// command is told of each command as it is first applied anywhere.
func (b *rightsBook) command(a *command.Applied) {
	for _, e := range a.Effects {
		if e, ok := e.(command.EpochBegan); ok {
			b.epoch = e.Epoch.Number
			b.turns()
			b.began = b.version
		}
	}
	if a.Verdict != command.Executed {
		return
	}
	switch c := a.Command.(type) {
	case command.Call:
		b.call(c, a.Result)
	case command.Expire:
		delete(b.who, c.Session)
	case command.Found:
		b.found(c, api.Instance(a.Number))
	case command.Sweep:
		delete(b.nodes, c.Node.Path.String())
	case command.Act:
		b.act(c, a)
	}
}

func (b *rightsBook) turns() {
	b.version++
	b.changed()
}

func (b *rightsBook) call(c command.Call, r api.Result) {
	switch c.Op.(type) {
	case api.OpenSession:
		b.who[r.Session], b.opened[r.Session] = c.Principal, c.Principal
	case api.EndSession:
		delete(b.who, c.Session)
	}
}

func (b *rightsBook) found(c command.Found, n api.Instance) {
	f := c.Founding
	b.nodes["/"] = &governed{instance: n, names: model.ACLNames(f.Root)}
	b.nodes[model.ACLDir] = &governed{instance: n, names: model.ACLNames(f.ACL)}
	for _, file := range f.Files {
		b.nodes[model.ACLDir+"/"+string(file.Name)] = &governed{
			instance: n, names: model.InheritACL(model.ACLNames(file.Names), model.ACLNames(f.ACL)), text: file.Contents,
		}
	}
	b.turns()
}

func (b *rightsBook) act(c command.Act, a *command.Applied) {
	switch d := c.Deed.(type) {
	case command.OpenNode:
		b.executed[model.Call{Session: c.Session, Seq: c.Seq}] = c.Guard
		b.judge(c.Session, b.who[c.Session], d.Path.String(), d.Rights, d.Create, d.Names, a.Result)
		if o, ok := a.Result.Detail.(api.Opened); ok && o.Created {
			b.makes(d, o.Node.Instance)
		}
	case command.SetContents:
		if n := b.at(d.Node); n != nil && a.Result.Code == api.OK && strings.HasPrefix(d.Node.Path.String(), model.ACLDir+"/") {
			n.text = d.Contents
			b.turns()
		}
	case command.SetACL:
		if n := b.at(d.Node); n != nil && a.Result.Code == api.OK {
			n.names = model.ACLNames(d.Names)
			b.turns()
		}
	case command.DeleteNode:
		if a.Result.Code == api.OK {
			delete(b.nodes, d.Node.Path.String())
			b.turns()
		}
	}
}

// at is the node, unless it is gone.
func (b *rightsBook) at(r api.Ref) *governed {
	if n := b.nodes[r.Path.String()]; n != nil && n.instance == r.Instance {
		return n
	}
	return nil
}

func (b *rightsBook) makes(d command.OpenNode, n api.Instance) {
	path := d.Path.String()
	dir := b.nodes[model.Parent(path)]
	if dir == nil {
		return
	}
	b.nodes[path] = &governed{instance: n, names: model.InheritACL(model.ACLNames(d.Names), dir.names)}
	if strings.HasPrefix(path, model.ACLDir+"/") {
		b.nodes[path].text = d.Contents
		b.turns()
	}
}

// judge compares what became of an Open with what the ACL files say now: of the
// node, if it stands (C2.08); else of its directory, for writing, and of the names
// that it would get.
func (b *rightsBook) judge(s api.SessionID, who api.Principal, path string, want api.Rights, create api.Creation, names api.ACLNames, r api.Result) {
	if r.Code != api.OK && r.Code != api.Permission {
		return
	}
	may := false
	if n := b.nodes[path]; n != nil {
		may = b.may(who, n.names, want)
	} else if dir := b.nodes[model.Parent(path)]; dir != nil && create != api.CreateNever {
		may = b.may(who, dir.names, api.RightWrite) && b.may(who, model.InheritACL(model.ACLNames(names), dir.names), want)
	} else {
		return
	}
	b.verdicts[may]++
	if may != (r.Code == api.OK) {
		b.world.Break("S16", "%s of session %d opens %s for %v and is answered %v; the ACL files allow it: %t", who, s, path, want, r.Code, may)
	}
}

// may says whether each right that is wanted is given by the ACL file of that name.
// One that is missing gives nothing.
func (b *rightsBook) may(who api.Principal, names [3]string, want api.Rights) bool {
	for i, right := range []api.Rights{api.RightRead, api.RightWrite, api.RightChangeACL} {
		if want&right != 0 && !b.listed(names[i], who) {
			return false
		}
	}
	return true
}

func (b *rightsBook) listed(name string, who api.Principal) bool {
	n := b.nodes[model.ACLDir+"/"+name]
	if n == nil || who == "" {
		return false
	}
	lines := strings.Split(n.text, "\n")
	return slices.Contains(lines, string(who)) || slices.Contains(lines, "*")
}
