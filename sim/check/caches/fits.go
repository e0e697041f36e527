package caches

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// isJudged reports whether a read has told something of nodes.
func (x *Read) isJudged() bool {
	in, out := &x.In, &x.Out
	switch in.Op {
	case linearizability.FileGet, linearizability.FileGetStat:
		return out.Code == linearizability.FileOK || out.Code == linearizability.FileGone
	case linearizability.FileReadDir:
		whole := in.After == "" && !out.More
		return out.Code == linearizability.FileOK && whole || out.Code == linearizability.FileGone
	case linearizability.FileOpen:
		return out.Code == linearizability.FileOK && !out.Created || out.Code == linearizability.FileNotFound && in.Create == linearizability.FileCreateNever && in.Dir == ""
	}
	return false
}

// paths returns the paths on which the answer to a read depends.
func (c *Checker) paths(x *Read, least api.Number) []string {
	all := []string{x.In.Path}
	if x.In.Op == linearizability.FileOpen && x.Hit {
		for _, n := range c.tree.changesIn(least, c.top, x.In.Path) {
			for _, name := range c.tree.at(x.In.Path, n).stat.Names {
				all = append(all, model.ACLDir+"/"+name)
			}
		}
	}
	return all
}

// fits reports whether a read may have found its result after a command.
func (c *Checker) fits(x *Read, n api.Number) bool {
	v := c.tree.at(x.In.Path, n)
	opens := x.In.Op == linearizability.FileOpen
	same := opens || x.In.Instance == 0 || v.stat.Instance == x.In.Instance
	if x.Out.Code != linearizability.FileOK {
		return !v.there || !same
	}
	switch {
	case !v.there || !same:
		return false
	case x.In.Op == linearizability.FileReadDir:
		return slices.Equal(namesOf(x.Out.Children), v.children)
	case x.In.Op == linearizability.FileGet && x.Out.Contents != v.text:
		return false
	case opens && x.Hit && !c.mayOpen(x, v.stat.Names, n): // S16 checks the others
		return false
	}
	got := x.Out.Stat
	got.Lock = 0
	return got == v.stat
}

func namesOf(children []linearizability.FileChild) (all []string) {
	for _, c := range children {
		all = append(all, c.Name)
	}
	return all
}

// mayOpen reports whether, after a command, the ACL file of the right's name grants each
// right that an Open asks for. A missing file grants nothing.
func (c *Checker) mayOpen(x *Read, names linearizability.FileNames, n api.Number) bool {
	for i, right := range []api.Rights{api.RightRead, api.RightWrite, api.RightChangeACL} {
		if x.Rights&right == 0 {
			continue
		}
		file := c.tree.at(model.ACLDir+"/"+names[i], n)
		lines := strings.Split(file.text, "\n")
		if !file.there || !slices.Contains(lines, string(x.Who)) && !slices.Contains(lines, "*") {
			return false
		}
	}
	return true
}
