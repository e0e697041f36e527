package histories

import (
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
	"github.com/chubbycell/chubby/sim/model"
)

// noteAlien records what a client without records did to nodes, as a call of the system where
// it took effect. Its answer is not checked here.
func (b *Files) noteAlien(d command.NodeOp, r api.Result, at linearizability.Position) {
	out, known := fileOutput(r)
	if !known || out.Code != linearizability.FileOK {
		return
	}
	switch d := d.(type) {
	case command.OpenNode:
		if out.Created {
			b.did(at, linearizability.FileInput{
				Op: linearizability.FileOpen, Path: d.Path.String(), Create: linearizability.FileCreation(d.Create),
				Kind: out.Stat.Kind, Ephemeral: d.Ephemeral, Contents: d.Contents,
				Names: linearizability.FileNames(model.ACLNames(d.Names)),
			}, out)
		}
	case command.SetContents:
		b.did(at, onNode(linearizability.FileInput{Op: linearizability.FileSet, Contents: d.Contents, When: uint64(d.When)}, d.Node), out)
	case command.SetACL:
		in := linearizability.FileInput{Op: linearizability.FileSetNames, Names: linearizability.FileNames(model.ACLNames(d.Names)), When: uint64(d.When)}
		b.did(at, onNode(in, d.Node), out)
	case command.DeleteNode:
		b.did(at, onNode(linearizability.FileInput{Op: linearizability.FileDelete}, d.Node), out)
	}
}

// founded records the ACL files that a cell begins with. One command creates them all, but no
// two calls of a history may share a place, so each gets a place of its own before that
// command: in the slot before, which began the epoch and concerned no node.
func (b *Files) founded(f tree.Founding, n uint64, at linearizability.Position) {
	at = linearizability.Position{Slot: at.Slot - 1, Index: 1 << 20}
	makes := func(path string, kind linearizability.FileKind, text string, names [3]string) {
		in := linearizability.FileInput{Op: linearizability.FileOpen, Path: path, Create: linearizability.FileCreateMust, Kind: kind}
		in.Contents, in.Names = text, linearizability.FileNames(names)
		stat := linearizability.FileStat{Instance: n, ACL: n, Lock: n, Length: -1, Children: -1}
		if kind == linearizability.FilePlain {
			stat.Content = n
		}
		b.did(at, in, linearizability.FileOutput{Created: true, Stat: stat})
		at.Index++
	}
	makes(model.ACLDir, linearizability.FileDirectory, "", model.ACLNames(f.ACL))
	for _, file := range f.Files {
		makes(model.ACLDir+"/"+string(file.Name), linearizability.FilePlain, file.Contents, model.InheritACL(model.ACLNames(file.Names), model.ACLNames(f.ACL)))
	}
}

func onNode(in linearizability.FileInput, n api.Ref) linearizability.FileInput {
	in.Path, in.Instance = n.Path.String(), uint64(n.Instance)
	return in
}

func (b *Files) did(at linearizability.Position, in linearizability.FileInput, out linearizability.FileOutput) {
	op := b.History.Call(system, b.now(), in)
	b.History.OK(op, b.now(), out)
	b.History.At(op, at)
}
