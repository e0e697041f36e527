package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/acl"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// openExisting answers an OpenNode if the node is there, or is not to be made; ok is false
// if it is to be made.
func openExisting(r rows.Reader, d OpenNode, who api.Principal) (result api.Result, ok bool) {
	if d.Dir.Instance != 0 {
		if _, code := tree.Stat(r, d.Dir); code != api.OK {
			return api.Result{Code: code}, true
		}
	}
	n, stat, code := tree.Lookup(r, d.Path)
	switch {
	case code == api.OK && d.Create == api.CreateMust:
		return api.Result{Code: api.Exists}, true
	case code == api.OK:
		return openResult(n, stat, allowed(r, stat.Names, d.Rights, who)), true
	case d.Create == api.CreateNever:
		return api.Result{Code: api.NotFound}, true
	}
	return api.Result{}, false
}

func openResult(n api.Ref, stat api.Stat, code api.Code) api.Result {
	if code != api.OK {
		return api.Result{Code: code}
	}
	return api.Result{Code: api.OK, Detail: api.Opened{Node: n, Stat: stat}}
}

func allowed(r rows.Reader, names api.ACLNames, want api.Rights, who api.Principal) api.Code {
	return acl.Check(tree.Files{Reader: r}, names, want, who)
}

// openNode makes the node of an OpenNode that openExisting does not answer.
func (a *applier) openNode(d OpenNode, who api.Principal) (api.Result, []Effect) {
	if code := a.checkCreate(d, who); code != api.OK {
		return api.Result{Code: code}, nil
	}
	out := tree.Create(a.tx, a.Number, tree.Creation{
		Path: d.Path, Kind: d.Kind, Ephemeral: d.Ephemeral, Contents: d.Contents, Names: d.Names, Owner: who,
	})
	if out.Code != api.OK {
		return api.Result{Code: out.Code}, nil
	}
	made := api.Opened{Node: out.Node, Stat: out.Stat, Created: true}
	return api.Result{Code: api.OK, Detail: made}, treeEffects(out.Effects)
}

// checkCreate asks for the right to write the parent, and then for the rights of the handle
// under the names that the node would get: the principal that makes a node has no rights
// beyond them.
func (a *applier) checkCreate(d OpenNode, who api.Principal) api.Code {
	up, ok := d.Path.Parent()
	if !ok {
		return api.NotFound // the root of a cell that was not founded yet
	}
	_, parent, code := tree.Lookup(a.tx, up)
	switch {
	case code != api.OK:
		return code
	case parent.Kind != api.Directory:
		return api.NotDirectory
	}
	if code := allowed(a.tx, parent.Names, acl.CreateChild.RequiredRight(), who); code != api.OK {
		return code
	}
	return allowed(a.tx, d.Names.Or(parent.Names), d.Rights, who)
}
