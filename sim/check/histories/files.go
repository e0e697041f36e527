package histories

import (
	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/model"
)

// Files keeps the history of nodes: what client programs asked and were told,
// and, as calls of the system, what happened without being asked for.
type Files struct {
	// History has the calls, those of the system among them.
	History *linearizability.Recorder[linearizability.FileInput, linearizability.FileOutput]
	trails  []fileTrail
	results map[model.Call]placed // of acts that were executed
	world   *sim.World
	alien   func(api.SessionID) bool // a session of which no program keeps records
	Nested  uint64                   // nodes that were made in directories that stand in others
	Pages   uint64                   // of directories, that were read after another one
}

// fileTrail is a call whose place in the log is looked up at the end.
type fileTrail struct {
	op    int
	in    linearizability.FileInput
	trail *client.CallID
	no    bool // the client was told that it was not executed
}

// placed is what an act was answered, and where.
type placed struct {
	at     linearizability.Position
	result api.Result
}

// system is the client that stands for what the cell does by itself.
const system = -1

// NewFiles is a history without a call, by the time of w. alien says of a session that no
// program keeps records of it: what it did is taken from the log.
func NewFiles(w *sim.World, alien func(api.SessionID) bool) *Files {
	return &Files{
		History: linearizability.NewRecorder[linearizability.FileInput, linearizability.FileOutput](64),
		results: map[model.Call]placed{}, world: w, alien: alien,
	}
}

// OnCommand is told of each command as it is first applied anywhere, and where.
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
			b.stranger(c.Op, a.Result, at)
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

// OnTaken notes that a lock went from free to held, which its node shows.
func (b *Files) OnTaken(at linearizability.Position, n api.Ref, gen api.LockGen) {
	b.does(at, linearizability.FileInput{Op: linearizability.FileTakeLock, Path: n.Path.String(), Instance: uint64(n.Instance)},
		linearizability.FileStat{Lock: uint64(gen), Length: -1, Children: -1})
}

func (b *Files) does(at linearizability.Position, in linearizability.FileInput, s linearizability.FileStat) {
	b.did(at, in, linearizability.FileOutput{Stat: s})
}

// fileResultCodes are the same for results in the log.
var fileResultCodes = map[api.Code]linearizability.FileCode{
	api.OK: linearizability.FileOK, api.NotFound: linearizability.FileNotFound, api.Exists: linearizability.FileExists,
	api.Gone: linearizability.FileGone, api.NotEmpty: linearizability.FileNotEmpty, api.NotDirectory: linearizability.FileNotDirectory,
	api.IsDirectory: linearizability.FileIsDirectory, api.Conflict: linearizability.FileConflict,
}

// fileOutput is a result of the log as the model has it; ok is false for what the
// model knows nothing of, which has changed nothing.
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

// Begins takes down that process who makes a call on a node. The client fills the trail.
// It returns the number of the call, by which its end is taken down.
func (b *Files) Begins(who int64, in linearizability.FileInput, trail *client.CallID) (at int) {
	b.trails = append(b.trails, fileTrail{op: b.History.Call(who, b.now(), in), in: in, trail: trail})
	return len(b.trails) - 1
}

// OK takes down that a call had an answer that the model knows. A client with a cache is told no lock
// generation, and the model would take any for that of a node that it has made: that one is in the log.
func (b *Files) OK(at int, out linearizability.FileOutput) {
	t := b.trails[at]
	if p, ok := b.results[model.Call{Session: t.trail.Session, Seq: t.trail.Seq}]; ok && out.Created && out.Stat.Lock == 0 {
		if o, ok := p.result.Detail.(api.Opened); ok {
			out.Stat.Lock = uint64(o.Stat.Lock)
		}
	}
	b.History.OK(t.op, b.now(), out)
}

// Unknown takes down that the client does not know what a call did.
func (b *Files) Unknown(at int) { b.History.Unknown(b.trails[at].op, b.now()) }

// Failed takes down that a client was told that a call was not executed, or that it was
// not made after all.
func (b *Files) Failed(at int) {
	b.History.Failed(b.trails[at].op, b.now())
	b.trails[at].no = true
}

// Paged counts a page of a directory that was read after another one.
func (b *Files) Paged() { b.Pages++ }

func (b *Files) now() int64 { return int64(b.world.Now()) }
