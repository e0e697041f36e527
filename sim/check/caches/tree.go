package caches

import (
	"slices"
	"sort"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// tree is what stood at each path, after each command that changed it.
type tree struct{ paths map[string][]version }

// version is what stands at a path from a command on.
type version struct {
	from     api.Number
	there    bool
	stat     linearizability.FileStat // without a lock generation
	text     string
	children []string // names, ascending; never changed in place
}

// at is the version of a path after a command; the zero one where nothing was yet.
func (t *tree) at(path string, n api.Number) version {
	all := t.paths[path]
	i := sort.Search(len(all), func(i int) bool { return all[i].from > n })
	if i == 0 {
		return version{}
	}
	return all[i-1]
}

// last is the present version of a path.
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

// turns are the commands from one to another after which something else stood at one of these
// paths, and the first.
func (t *tree) turns(from, to api.Number, paths ...string) []api.Number {
	turns := []api.Number{from}
	for _, p := range paths {
		for _, v := range t.paths[p] {
			if v.from > from && v.from <= to {
				turns = append(turns, v.from)
			}
		}
	}
	slices.Sort(turns)
	return slices.Compact(turns)
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

// write makes a version with the metadata that the command was answered with.
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
	t.within(path, v.from, func(children []string) []string {
		i, _ := slices.BinarySearch(children, name)
		return slices.Insert(slices.Clone(children), i, name)
	})
}

func (t *tree) remove(path string, n api.Number) {
	t.put(path, version{from: n})
	name := path[len(model.Inside(model.Parent(path))):]
	t.within(path, n, func(children []string) []string {
		return slices.DeleteFunc(slices.Clone(children), func(x string) bool { return x == name })
	})
}

// within changes the children of the directory of a path.
func (t *tree) within(path string, n api.Number, change func([]string) []string) {
	v := t.last(model.Parent(path))
	v.from, v.children = n, change(v.children)
	v.stat.Children = int64(len(v.children))
	t.put(model.Parent(path), v)
}

// found is what a cell begins with: one command makes it all, and its number is the instance of
// each node, and the generation of all that it has.
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
