package histories

import (
	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Files keeps the history of nodes: the calls of client programs and, as calls of the system,
// what happened without such a call.
type Files struct {
	// History has the calls, including those of the system.
	History *linearizability.Recorder[linearizability.FileInput, linearizability.FileOutput]
	trails  []fileTrail
	results map[model.Call]placed // of calls on nodes that were executed
	world   *sim.World
	alien   func(api.SessionID) bool // reports a session of which no program keeps records
	Nested  uint64                   // counts nodes created below a directory other than the root
	Pages   uint64                   // counts pages of directories after the first
}

// fileTrail is a call whose place in the log is found after the run.
type fileTrail struct {
	op    int
	in    linearizability.FileInput
	trail *client.CallID
	no    bool // the client was told that it was not executed
}

// placed is the answer of a call, and its place in the log.
type placed struct {
	at     linearizability.Position
	result api.Result
}

// system is the client ID of what the cell does by itself.
const system = -1

// NewFiles returns an empty history, with the time of w. alien reports a session of which no
// program keeps records: what it did is taken from the log.
func NewFiles(w *sim.World, alien func(api.SessionID) bool) *Files {
	return &Files{
		History: linearizability.NewRecorder[linearizability.FileInput, linearizability.FileOutput](64),
		results: map[model.Call]placed{}, world: w, alien: alien,
	}
}

// OnCommand reports a command when it is first applied anywhere, and its place.
func (b *Files) OnCommand(a *command.Applied, at linearizability.Position) {
	if a.Verdict != command.Executed {
		return
	}
	switch c := a.Command.(type) {
	case command.NodeCommand:
		b.results[model.Call{Session: c.Session, Seq: c.Seq}] = placed{at, a.Result}
		if o, ok := a.Result.Detail.(api.Opened); ok && o.Created && model.Parent(model.Parent(o.Node.Path.String())) != "/" {
			b.Nested++
		}
		if b.alien(c.Session) {
			b.noteAlien(c.Op, a.Result, at)
		}
	case command.Found:
		if a.Result.Code == api.OK {
			n := uint64(a.Number)
			b.founded(c.Founding, n, at)
			b.does(at, linearizability.FileInput{Op: linearizability.FileGetStat, Path: "/"},
				linearizability.FileStat{Instance: n, ACL: n, Lock: n, Length: -1, Children: -1})
		}
	case command.Sweep:
		if a.Result.Code == api.OK {
			b.does(at, linearizability.FileInput{Op: linearizability.FileDelete, Path: c.Node.Path.String(), Instance: uint64(c.Node.Instance)},
				linearizability.FileStat{})
		}
	}
}

// OnTaken records that a free lock was acquired, which the metadata of its node show.
func (b *Files) OnTaken(at linearizability.Position, n api.Ref, gen api.LockGen) {
	b.does(at, linearizability.FileInput{Op: linearizability.FileTakeLock, Path: n.Path.String(), Instance: uint64(n.Instance)},
		linearizability.FileStat{Lock: uint64(gen), Length: -1, Children: -1})
}

func (b *Files) does(at linearizability.Position, in linearizability.FileInput, s linearizability.FileStat) {
	b.did(at, in, linearizability.FileOutput{Stat: s})
}

// fileResultCodes maps codes of results in the log to those of the model.
var fileResultCodes = map[api.Code]linearizability.FileCode{
	api.OK: linearizability.FileOK, api.NotFound: linearizability.FileNotFound, api.Exists: linearizability.FileExists,
	api.Gone: linearizability.FileGone, api.NotEmpty: linearizability.FileNotEmpty, api.NotDirectory: linearizability.FileNotDirectory,
	api.IsDirectory: linearizability.FileIsDirectory, api.Conflict: linearizability.FileConflict,
}

// fileOutput converts a result in the log to the model's form; ok is false if the model does
// not know it, and then it has changed nothing.
func fileOutput(r api.Result) (out linearizability.FileOutput, ok bool) {
	if out.Code, ok = fileResultCodes[r.Code]; !ok {
		return out, false
	}
	out.Contents = r.Value
	switch d := r.Detail.(type) {
	case api.Opened:
		out.Created, out.Stat = d.Created, model.FileStat(d.Stat)
	case api.NodeStat:
		out.Stat = model.FileStat(d.Stat)
	case api.Listing:
		out.More = d.More
		for _, c := range d.Children {
			out.Children = append(out.Children, linearizability.FileChild{Name: c.Name, Stat: model.FileStat(c.Stat)})
		}
	}
	return out, true
}

// Begins records that process who calls an operation on a node. The client fills the trail.
// Begins returns the number of the call, by which OK, Unknown or Failed record its end.
func (b *Files) Begins(who int64, in linearizability.FileInput, trail *client.CallID) (at int) {
	b.trails = append(b.trails, fileTrail{op: b.History.Call(who, b.now(), in), in: in, trail: trail})
	return len(b.trails) - 1
}

// OK records that a call had an answer that the model knows. A client with a cache is told no
// lock generation, and the model would accept any as that of a node that it created; so OK
// takes that generation from the log.
func (b *Files) OK(at int, out linearizability.FileOutput) {
	t := b.trails[at]
	if p, ok := b.results[model.Call{Session: t.trail.Session, Seq: t.trail.Seq}]; ok && out.Created && out.Stat.Lock == 0 {
		if o, ok := p.result.Detail.(api.Opened); ok {
			out.Stat.Lock = uint64(o.Stat.Lock)
		}
	}
	b.History.OK(t.op, b.now(), out)
}

// Unknown records that the client does not know what a call did.
func (b *Files) Unknown(at int) { b.History.Unknown(b.trails[at].op, b.now()) }

// Failed records that a client was told that a call was not executed, or that the call was
// not made after all.
func (b *Files) Failed(at int) {
	b.History.Failed(b.trails[at].op, b.now())
	b.trails[at].no = true
}

// Paged counts a page of a directory that was read after another one.
func (b *Files) Paged() { b.Pages++ }

func (b *Files) now() int64 { return int64(b.world.Now()) }
