package caches

import (
	"slices"
	"sort"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// tree is what existed at each path, after each command that changed it.
type tree struct{ paths map[string][]version }

// version is what exists at a path from a command on.
type version struct {
	from     api.Number
	there    bool
	stat     linearizability.FileStat // without a lock generation
	text     string
	children []string // names, ascending; never changed in place
}

// at returns the version of a path after a command; it is zero if nothing had existed there
// yet.
func (t *tree) at(path string, n api.Number) version {
	all := t.paths[path]
	i := sort.Search(len(all), func(i int) bool { return all[i].from > n })
	if i == 0 {
		return version{}
	}
	return all[i-1]
}

// last returns the present version of a path.
func (t *tree) last(path string) version {
	all := t.paths[path]
	if len(all) == 0 {
		return version{}
	}
	return all[len(all)-1]
}

// put makes v the present version of a path.
func (t *tree) put(path string, v version) {
	v.stat.Lock = 0
	t.paths[path] = append(t.paths[path], v)
}

// changesIn returns from, and the commands after it up to to that changed one of these paths.
func (t *tree) changesIn(from, to api.Number, paths ...string) []api.Number {
	changes := []api.Number{from}
	for _, p := range paths {
		for _, v := range t.paths[p] {
			if v.from > from && v.from <= to {
				changes = append(changes, v.from)
			}
		}
	}
	slices.Sort(changes)
	return slices.Compact(changes)
}

// onCommand takes in a command that was applied for the first time.
func (t *tree) onCommand(a *command.Applied) {
	if a.Verdict != command.Executed || a.Result.Code != api.OK {
		return
	}
	switch c := a.Command.(type) {
	case command.Found:
		t.found(c, a.Number)
	case command.Sweep:
		t.remove(c.Node.Path.String(), a.Number)
	case command.NodeCommand:
		t.act(c.Op, a)
	}
}

func (t *tree) act(op command.NodeOp, a *command.Applied) {
	switch d := op.(type) {
	case command.OpenNode:
		if o, ok := a.Result.Detail.(api.Opened); ok && o.Created {
			t.add(o.Node.Path.String(), version{from: a.Number, there: true, stat: model.FileStat(o.Stat), text: d.Contents})
		}
	case command.SetContents:
		t.write(d.Node, a, func(v *version) { v.text = d.Contents })
	case command.SetACL:
		t.write(d.Node, a, func(*version) {})
	case command.DeleteNode:
		t.remove(d.Node.Path.String(), a.Number)
	}
}

// write makes a version with the metadata in the command's answer.
func (t *tree) write(n api.Ref, a *command.Applied, with func(*version)) {
	s, _ := a.Result.Detail.(api.NodeStat)
	v := t.last(n.Path.String())
	v.from, v.stat = a.Number, model.FileStat(s.Stat)
	with(&v)
	t.put(n.Path.String(), v)
}

func (t *tree) add(path string, v version) {
	t.put(path, v)
	name := path[len(model.Inside(model.Parent(path))):]
	t.editChildren(path, v.from, func(children []string) []string {
		i, _ := slices.BinarySearch(children, name)
		return slices.Insert(slices.Clone(children), i, name)
	})
}

func (t *tree) remove(path string, n api.Number) {
	t.put(path, version{from: n})
	name := path[len(model.Inside(model.Parent(path))):]
	t.editChildren(path, n, func(children []string) []string {
		return slices.DeleteFunc(slices.Clone(children), func(x string) bool { return x == name })
	})
}

// editChildren changes the children of a path's directory.
func (t *tree) editChildren(path string, n api.Number, change func([]string) []string) {
	v := t.last(model.Parent(path))
	v.from, v.children = n, change(v.children)
	v.stat.Children = int64(len(v.children))
	t.put(model.Parent(path), v)
}

// found creates what a cell begins with. One command creates it all, and its number is the
// instance of each node, and every generation.
func (t *tree) found(c command.Found, n api.Number) {
	directory := func(names [3]string) version {
		return version{from: n, there: true, stat: linearizability.FileStat{
			Kind: linearizability.FileDirectory, Instance: uint64(n), ACL: uint64(n), Names: names,
		}}
	}
	acl := model.ACLNames(c.Founding.ACL)
	t.put("/", directory(model.ACLNames(c.Founding.Root)))
	t.add(model.ACLDir, directory(acl))
	for _, f := range c.Founding.Files {
		v := directory(model.InheritACL(model.ACLNames(f.Names), acl))
		v.text = f.Contents
		v.stat.Kind, v.stat.Content = linearizability.FilePlain, uint64(n)
		v.stat.Length, v.stat.Checksum = int64(len(v.text)), uint64(api.ChecksumOf(v.text))
		t.add(model.ACLDir+"/"+string(f.Name), v)
	}
}
