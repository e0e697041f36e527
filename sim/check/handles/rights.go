package handles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Rights computes who may do what to which node (S16), from the commands in log order and the
// rules of the paper, and from nothing that the product has looked up: which nodes exist, under
// which ACL names, and which principals the ACL files list at this place of the log.
//
// It checks both directions: no principal gets a handle without the rights, and none is
// refused for rights that it has.
type Rights struct {
	World    *sim.World
	Who      map[api.SessionID]api.Principal // principals of sessions that are alive
	Opened   map[api.SessionID]api.Principal // principals of all sessions that ever were
	Nodes    map[string]*Governed            // by path
	epoch    api.Epoch
	version  int                      // counts changes of what decides about rights
	began    int                      // version when the epoch began
	Executed map[model.Call]api.Epoch // Opens in the log, and the epoch in which each was executed
	given    map[api.HandleID]*model.Grip
	Verdicts map[bool]uint64 // Opens that were judged, by whether they were allowed
}

// Governed is a node, and the names of the three ACL files that govern it.
type Governed struct {
	Instance api.Instance
	Names    [3]string
	text     string // contents, of a file of the ACL directory
}

// NewRights returns the Rights of a cell that is not founded yet.
func NewRights(w *sim.World) *Rights {
	return &Rights{
		World: w, Who: map[api.SessionID]api.Principal{}, Opened: map[api.SessionID]api.Principal{}, Nodes: map[string]*Governed{},
		Executed: map[model.Call]api.Epoch{}, given: map[api.HandleID]*model.Grip{}, Verdicts: map[bool]uint64{},
	}
}

// OnCommand reports a command when it is first applied anywhere.
func (b *Rights) OnCommand(a *command.Applied) {
	for _, e := range a.Effects {
		if e, ok := e.(command.EpochBegan); ok {
			b.epoch = e.Epoch.Number
			b.Turn()
			b.began = b.version
		}
	}
	if a.Verdict != command.Executed {
		return
	}
	switch c := a.Command.(type) {
	case command.Call:
		b.onCall(c, a.Result)
	case command.Expire:
		delete(b.Who, c.Session)
	case command.Found:
		b.onFounded(c, api.Instance(a.Number))
	case command.Sweep:
		delete(b.Nodes, c.Node.Path.String())
	case command.NodeCommand:
		b.onNodeCommand(c, a)
	}
}

// Turn records that what decides about rights has changed.
func (b *Rights) Turn() {
	b.version++
	b.review()
}

// review marks the handles that their sessions could open again now. A new master checks the
// rights when an older handle is used, and may do so at any time from now on.
func (b *Rights) review() {
	for _, g := range b.given { // order-free: each is looked at by itself
		if g.Allowed == b.epoch {
			continue
		}
		if n := b.At(g.Node); n != nil && b.may(b.Who[g.Session], n.Names, g.Rights) {
			g.Allowed = b.epoch
		}
	}
}

func (b *Rights) onCall(c command.Call, r api.Result) {
	switch c.Op.(type) {
	case api.OpenSession:
		b.Who[r.Session], b.Opened[r.Session] = c.Principal, c.Principal
	case api.EndSession:
		delete(b.Who, c.Session)
	}
}

func (b *Rights) onFounded(c command.Found, n api.Instance) {
	f := c.Founding
	b.Nodes["/"] = &Governed{Instance: n, Names: model.ACLNames(f.Root)}
	b.Nodes[model.ACLDir] = &Governed{Instance: n, Names: model.ACLNames(f.ACL)}
	for _, file := range f.Files {
		b.Nodes[model.ACLDir+"/"+string(file.Name)] = &Governed{
			Instance: n, Names: model.InheritACL(model.ACLNames(file.Names), model.ACLNames(f.ACL)), text: file.Contents,
		}
	}
	b.Turn()
}

func (b *Rights) onNodeCommand(c command.NodeCommand, a *command.Applied) {
	switch d := c.Op.(type) {
	case command.OpenNode:
		b.Executed[model.Call{Session: c.Session, Seq: c.Seq}] = c.Guard
		b.judge(c.Session, b.Who[c.Session], d.Path.String(), d.Rights, d.Create, d.Names, a.Result)
		if o, ok := a.Result.Detail.(api.Opened); ok && o.Created {
			b.onCreated(d, o.Node.Instance)
		}
	case command.SetContents:
		if n := b.At(d.Node); n != nil && a.Result.Code == api.OK && strings.HasPrefix(d.Node.Path.String(), model.ACLDir+"/") {
			n.text = d.Contents
			b.Turn()
		}
	case command.SetACL:
		if n := b.At(d.Node); n != nil && a.Result.Code == api.OK {
			n.Names = model.ACLNames(d.Names)
			b.Turn()
		}
	case command.DeleteNode:
		if a.Result.Code == api.OK {
			delete(b.Nodes, d.Node.Path.String())
			b.Turn()
		}
	}
}

// At returns a node, or nil if this instance does not exist any more.
func (b *Rights) At(r api.Ref) *Governed {
	if n := b.Nodes[r.Path.String()]; n != nil && n.Instance == r.Instance {
		return n
	}
	return nil
}

func (b *Rights) onCreated(d command.OpenNode, n api.Instance) {
	path := d.Path.String()
	dir := b.Nodes[model.Parent(path)]
	if dir == nil {
		return
	}
	b.Nodes[path] = &Governed{Instance: n, Names: model.InheritACL(model.ACLNames(d.Names), dir.Names)}
	if strings.HasPrefix(path, model.ACLDir+"/") {
		b.Nodes[path].text = d.Contents
		b.Turn()
	}
}

// tell lists what the ACL files give a principal on a node and on its directory, for the reader of a break.
func (b *Rights) tell(who api.Principal, path string) string {
	given := func(what, path string) string {
		n := b.Nodes[path]
		if n == nil {
			return what + " does not exist"
		}
		var rights api.Rights
		for _, r := range []api.Rights{api.RightRead, api.RightWrite, api.RightChangeACL} {
			if b.may(who, n.Names, r) {
				rights |= r
			}
		}
		return fmt.Sprintf("%s (ACL files %[2]s/%[3]s for reading, %[2]s/%[4]s for writing, %[2]s/%[5]s for changing) gives it %[6]v", what, model.ACLDir, n.Names[0], n.Names[1], n.Names[2], rights)
	}
	return given("the node", path) + ", and " + given("its directory", model.Parent(path))
}

// judge compares the outcome of an Open with what the ACL files say now. The rights are those
// of the node if it exists (C2.08). Otherwise the Open needs the right to write the
// directory, and all rights that it asks for by the names that the new node would get.
func (b *Rights) judge(s api.SessionID, who api.Principal, path string, want api.Rights, create api.Creation, names api.ACLNames, r api.Result) {
	if r.Code != api.OK && r.Code != api.Permission {
		return
	}
	may := false
	if n := b.Nodes[path]; n != nil {
		may = b.may(who, n.Names, want)
	} else if dir := b.Nodes[model.Parent(path)]; dir != nil && create != api.CreateNever {
		may = b.may(who, dir.Names, api.RightWrite) && b.may(who, model.InheritACL(model.ACLNames(names), dir.Names), want)
	} else {
		return
	}
	b.Verdicts[may]++
	if may != (r.Code == api.OK) {
		b.World.Break("S16", "%s of session %d opens %s for %v and is answered %v; the ACL files allow it: %t; %s", who, s, path, want, r.Code, may, b.tell(who, path))
	}
}

// may reports whether the ACL file of the right's name grants each wanted right. A missing
// file grants nothing.
func (b *Rights) may(who api.Principal, names [3]string, want api.Rights) bool {
	for i, right := range []api.Rights{api.RightRead, api.RightWrite, api.RightChangeACL} {
		if want&right != 0 && !b.listed(names[i], who) {
			return false
		}
	}
	return true
}

func (b *Rights) listed(name string, who api.Principal) bool {
	n := b.Nodes[model.ACLDir+"/"+name]
	if n == nil || who == "" {
		return false
	}
	lines := strings.Split(n.text, "\n")
	return slices.Contains(lines, string(who)) || slices.Contains(lines, "*")
}
