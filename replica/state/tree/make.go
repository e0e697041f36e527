package tree

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
)

// Founding is what a cell begins with: the root, the ACL directory, and its first ACL
// files. Without ACL files no client could do anything, since a missing file denies.
type Founding struct {
	Root   api.ACLNames // of the root, and so of what is made in it without names
	ACL    api.ACLNames // of the ACL directory
	Files  []FoundingFile
	Limits Limits
}

// FoundingFile is an ACL file of a Founding.
type FoundingFile struct {
	Name     api.ACLName
	Contents string
	Names    api.ACLNames // what is empty is copied from the ACL directory
}

// OpenFounding is that of a cell in which every principal may do everything, until other
// ACL files are made.
func OpenFounding() Founding {
	const all api.ACLName = "everybody"
	names := api.ACLNames{Read: all, Write: all, Change: all}
	return Founding{
		Root: names, ACL: names, Limits: DefaultLimits(),
		Files: []FoundingFile{{Name: all, Contents: string(api.Everyone) + "\n"}},
	}
}

// check returns OK, TooLarge, or Invalid. Invalid are a file that comes twice, and an ACL
// name without a file in f: no client could ever repair such a cell.
func (f Founding) check() api.Code {
	files := map[api.ACLName]bool{}
	for _, file := range f.Files {
		switch {
		case api.CheckComponent(string(file.Name)) != api.OK || files[file.Name]:
			return api.Invalid
		case len(file.Contents) > api.MaxContents:
			return api.TooLarge
		}
		files[file.Name] = true
	}
	named := func(a api.ACLNames) bool { return files[a.Read] && files[a.Write] && files[a.Change] }
	for _, file := range f.Files {
		if !named(file.Names.Or(f.ACL)) {
			return api.Invalid
		}
	}
	if !named(f.Root) || !named(f.ACL) {
		return api.Invalid
	}
	return api.OK
}

// Make makes the root, the ACL directory and its first files, all owned by the
// cell, by one command. It is refused, with nothing changed, in this order:
// Exists in a cell that was made before, Invalid, TooLarge, Quota.
func Make(tx *db.Txn, n api.Number, f Founding) Outcome {
	o := begin(tx, n)
	if root, ok := getNode(tx, api.Path{}); ok {
		return o.refuse(api.Exists, root)
	}
	if code := f.check(); code != api.OK {
		return o.refuse(code, node{})
	}
	SetLimits(tx, f.Limits)
	o.add(Creation{Kind: api.Directory, Names: f.Root})
	todo := []Creation{{Path: api.ACLDirectory(), Kind: api.Directory, Names: f.ACL}}
	for _, file := range f.Files {
		p, _ := file.Name.Path()
		todo = append(todo, Creation{Path: p, Kind: api.File, Contents: file.Contents, Names: file.Names})
	}
	for _, c := range todo {
		out := begin(tx, n).create(c)
		if out.Code != api.OK {
			tx.RollbackTo(o.mark)
			return o.refuse(out.Code, node{})
		}
		o.addEffects(out.Effects...)
	}
	root, _ := getNode(tx, api.Path{})
	return o.done(root)
}
