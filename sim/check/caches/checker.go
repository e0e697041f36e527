package caches

import (
	"fmt"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
)

// Checker checks what programs read (S12).
type Checker struct {
	world *sim.World
	tree  tree
	least api.Number // number of the last command that a serving master has applied
	top   api.Number // number of the last command that any replica has applied

	// Hits counts reads of contents and metadata that were answered without the master; Names
	// those of names of children, Absences those that found no node, Opens those that opened
	// one.
	Hits, Names, Absences, Opens uint64
	// Crossed counts reads during which their object changed.
	Crossed uint64
}

// New returns the checker of a run that has not begun.
func New(w *sim.World) *Checker {
	return &Checker{world: w, tree: tree{paths: map[string][]version{}}}
}

// OnCommand reports a command that was applied for the first time.
func (c *Checker) OnCommand(a *command.Applied) {
	c.top = a.Number
	c.tree.onCommand(a)
}

// OnMaster reports that a serving master has applied a command, and all before it.
func (c *Checker) OnMaster(n api.Number) { c.least = max(c.least, n) }

// Reading is a read that is under way.
type Reading struct {
	c     *Checker
	least api.Number
}

// Begins reports that a program begins to read.
func (c *Checker) Begins() *Reading { return &Reading{c, c.least} }

// Read is what a program has asked for and got.
type Read struct {
	Who    api.Principal
	Call   client.CallID // at the master; zero: it made none
	Rights api.Rights    // for an Open
	Hit    bool          // its client asked no master
	In     linearizability.FileInput
	Out    linearizability.FileOutput
}

// Ends reports the result of a read. It ignores results that tell nothing of nodes, and a
// page that is not the whole directory.
func (r *Reading) Ends(x Read) {
	c := r.c
	if !x.isJudged() {
		return
	}
	if x.Hit {
		c.count(&x)
	}
	changes := c.tree.changesIn(r.least, c.top, c.paths(&x, r.least)...)
	if len(changes) > 1 {
		c.Crossed++
	}
	for _, n := range changes {
		if c.fits(&x, n) {
			return
		}
	}
	id, how := "S4", "asks for"
	switch {
	case x.Hit:
		id, how = "S12", "finds in its cache"
	case x.Call.Seq != 0:
		how = fmt.Sprintf("asks, by call %d of session %d, for", x.Call.Seq, x.Call.Session)
	}
	c.world.Break(id, "%s %s %s, which is not there after any command from %d to %d: after the last one it is %s",
		x.Who, how, x.text(), r.least, c.top, c.tree.last(x.In.Path).textFor(&x))
}

func (c *Checker) count(x *Read) {
	switch {
	case x.Out.Code == linearizability.FileNotFound:
		c.Absences++
	case x.In.Op == linearizability.FileOpen:
		c.Opens++
	case x.In.Op == linearizability.FileReadDir:
		c.Names++
	default:
		c.Hits++
	}
}

// text describes what a read has found, for reports.
func (x *Read) text() string {
	what := map[linearizability.FileOp]string{
		linearizability.FileOpen: "a handle on", linearizability.FileGet: "contents of", linearizability.FileGetStat: "metadata of", linearizability.FileReadDir: "names in",
	}[x.In.Op]
	if x.Out.Code != linearizability.FileOK {
		return fmt.Sprintf("%s %s instance %d, and is told that it is not there", what, x.In.Path, x.In.Instance)
	}
	v := version{there: true, stat: x.Out.Stat, text: x.Out.Contents, children: namesOf(x.Out.Children)}
	return fmt.Sprintf("%s %s instance %d, %s", what, x.In.Path, x.In.Instance, v.textFor(x))
}

// textFor describes of a version what a read asks for, for reports.
func (v version) textFor(x *Read) string {
	switch {
	case !v.there:
		return "nothing"
	case x.In.Op == linearizability.FileReadDir:
		return fmt.Sprintf("%q", v.children)
	case x.In.Op == linearizability.FileGet:
		return fmt.Sprintf("%.40q %+v", v.text, v.stat)
	case v.stat.Instance == 0:
		return "and gets neither metadata nor an error"
	}
	return fmt.Sprintf("%+v", v.stat)
}
