package caches

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim/model"
)

// isJudged says that a read has told something of nodes.
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

// paths are those of which the answer to a read is made.
func (c *Checker) paths(x *Read, least api.Number) []string {
	all := []string{x.In.Path}
	if x.In.Op == linearizability.FileOpen && x.Hit {
		for _, n := range c.tree.turns(least, c.top, x.In.Path) {
			for _, name := range c.tree.at(x.In.Path, n).stat.Names {
				all = append(all, model.ACLDir+"/"+name)
			}
		}
	}
	return all
}

// fits says that a read may find what it has found after a command.
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
	case opens && x.Hit && !c.may(x, v.stat.Names, n): // others are asked about by S16
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

// may says that each right that an Open asks for is given after a command by the ACL file of
// that name. One that is missing gives nothing.
func (c *Checker) may(x *Read, names linearizability.FileNames, n api.Number) bool {
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
