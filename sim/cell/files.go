package cell

import (
	"context"
	"errors"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/check/agreement"
	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/model"
)

// fileBook keeps the history of nodes: what client programs asked and were told,
// and, as calls of the system, what happened without being asked for.
type fileBook struct {
	history *linearizability.Recorder[linearizability.FileInput, linearizability.FileOutput]
	trails  []fileTrail
	results map[model.Call]placed // of acts that were executed
	now     func() int64
	alien   func(api.SessionID) bool // a session that no program of ours has
	nested  uint64                   // nodes that were made in directories that stand in others
	pages   uint64                   // of directories, that were read after another one
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

func newFileBook(now func() int64) *fileBook {
	return &fileBook{
		history: linearizability.NewRecorder[linearizability.FileInput, linearizability.FileOutput](64),
		results: map[model.Call]placed{}, now: now,
		alien: func(api.SessionID) bool { return false },
	}
}

// command is told of each command as it is first applied anywhere, and where.
func (b *fileBook) command(a *command.Applied, at linearizability.Position) {
	if a.Verdict != command.Executed {
		return
	}
	switch c := a.Command.(type) {
	case command.NodeCommand:
		b.results[model.Call{Session: c.Session, Seq: c.Seq}] = placed{at, a.Result}
		if o, ok := a.Result.Detail.(api.Opened); ok && o.Created && model.Parent(model.Parent(o.Node.Path.String())) != "/" {
			b.nested++
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

// taken notes that a lock went from free to held, which its node shows.
func (b *fileBook) taken(at linearizability.Position, n api.Ref, gen api.LockGen) {
	b.does(at, linearizability.FileInput{Op: linearizability.FileTakeLock, Path: n.Path.String(), Instance: uint64(n.Instance)},
		linearizability.FileStat{Lock: uint64(gen), Length: -1, Children: -1})
}

func (b *fileBook) does(at linearizability.Position, in linearizability.FileInput, s linearizability.FileStat) {
	b.did(at, in, linearizability.FileOutput{Stat: s})
}

// file makes one call on a node and keeps the books of it. ok says that it has a
// definite answer that the model knows.
func (p *program) file(ctx context.Context, in linearizability.FileInput, do func(context.Context) (linearizability.FileOutput, error)) (out linearizability.FileOutput, ok bool) {
	ctx, cancel := p.traced(ctx)
	defer cancel()
	f := p.begins(p.id, in)
	trail, taken := p.trail, p.room()
	out, err := do(ctx)
	if !p.rt.Env().Dead() {
		taken(trail, err)
		p.hears(p.trail)
	}
	return f.ends(out, err)
}

// traced is the context of the call that begins now: it leaves a trail, and lasts for
// as long as the program has patience.
func (p *program) traced(ctx context.Context) (context.Context, context.CancelFunc) {
	p.trail = &client.CallID{}
	return p.rt.WithTimeout(client.WithCallID(ctx, p.trail), p.patience())
}

// fileCall is a call on a node that is under way.
type fileCall struct {
	p  *program
	id int64 // the process in the history
	in linearizability.FileInput
	at int // its trail
}

// begins takes down that the process id of the program makes a call.
func (p *program) begins(id int64, in linearizability.FileInput) fileCall {
	b := p.cell.nodes
	f := fileCall{p: p, id: id, in: in, at: len(b.trails)}
	op := b.history.Call(id, int64(p.cell.world.Now()), in)
	b.trails = append(b.trails, fileTrail{op: op, in: in, trail: p.trail})
	return f
}

// ends takes down what came of it.
func (f fileCall) ends(out linearizability.FileOutput, err error) (linearizability.FileOutput, bool) {
	p, c, b := f.p, f.p.cell, f.p.cell.nodes
	if p.rt.Env().Dead() {
		return out, false
	}
	ns, trail := int64(c.world.Now()), &b.trails[f.at]
	code, known := fileCode(err)
	switch out.Code = code; {
	case known:
		b.history.OK(trail.op, ns, out)
	case errors.Is(err, client.ErrOutcomeUnknown):
		b.history.Unknown(trail.op, ns)
	default:
		b.history.Failed(trail.op, ns)
		trail.no = true
	}
	if x := agreement.Untold(f.in, out); known && x != (model.Finding{}) {
		c.world.Break(x.ID, "what client %d was answered to operation %d on %s %s", f.id, f.in.Op, f.in.Path, x.Text)
	}
	p.shut = c.handles.Room.Over[p.trail.Session]
	p.answered(err, f.in.Path == hotNode, "a call on "+f.in.Path)
	return out, known
}

// answered counts a call with a definite answer; after healing there must be one
// (L1), unless the session had ended. That its handle is closed it may hear where
// another program has the handle, too, or the session has closed more handles of
// earlier epochs than a master remembers, which then takes up no other (handle.Limits).
func (p *program) answered(err error, hot bool, what string) {
	c := p.cell
	p.calls++
	_, known := fileCode(err)
	known = known || errors.Is(err, client.ErrLockHeld) || errors.Is(err, client.ErrLockDelayed) ||
		errors.Is(err, client.ErrNotHeld) || errors.Is(err, client.ErrStaleSequencer) ||
		errors.Is(err, client.ErrPermission) || errors.Is(err, client.ErrPoisoned) || errors.Is(err, client.ErrInvalid) ||
		errors.Is(err, client.ErrTooLarge) || errors.Is(err, client.ErrQuota) ||
		p.shut && errors.Is(err, client.ErrClosed)
	p.shut = false
	if c.events.Wanted() {
		c.publish(event.CallEnded{Client: p.rt.Env().Self(), Program: p.id, Call: what, Trail: p.trail, Err: err})
	}
	p.ended(err)
	p.crowded = p.cell.plan.Calls.Narrow && errors.Is(err, client.ErrCrowded) || errors.Is(err, client.ErrBusy)
	if errors.Is(err, client.ErrCrowded) && !p.cell.plan.Calls.Narrow {
		c.world.Break("S14", "%s found no room, in a cell that has plenty: %v", what, err)
	}
	text := "ok"
	if err != nil {
		text = err.Error()
	}
	c.world.Result(p.rt.Env().Self(), []byte(text))
	switch {
	case known:
		c.load.completed++
		if hot {
			c.load.hot++
		}
	case p.strict && !p.expired && !p.crowded:
		c.world.Break("L1", "%s after healing had no answer: %v", what, err)
	}
}

// fileCodes are the errors that are answers of the model.
var fileCodes = []struct {
	err  error
	code linearizability.FileCode
}{
	{client.ErrNotFound, linearizability.FileNotFound}, {client.ErrExists, linearizability.FileExists},
	{client.ErrGone, linearizability.FileGone}, {client.ErrNotEmpty, linearizability.FileNotEmpty},
	{client.ErrNotDirectory, linearizability.FileNotDirectory}, {client.ErrIsDirectory, linearizability.FileIsDirectory},
	{client.ErrConflict, linearizability.FileConflict},
}

func fileCode(err error) (code linearizability.FileCode, known bool) {
	if err == nil {
		return linearizability.FileOK, true
	}
	for _, f := range fileCodes {
		if errors.Is(err, f.err) {
			return f.code, true
		}
	}
	return 0, false
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
		out.Created, out.Stat = d.Created, fileStat(d.Stat)
	case api.NodeStat:
		out.Stat = fileStat(d.Stat)
	case api.Listing:
		out.More = d.More
		for _, c := range d.Children {
			out.Children = append(out.Children, linearizability.FileChild{Name: c.Name, Stat: fileStat(c.Stat)})
		}
	}
	return out, true
}

func fileStat(s client.Stat) linearizability.FileStat {
	f := linearizability.FileStat{
		Ephemeral: s.Ephemeral, Instance: uint64(s.Instance), Content: uint64(s.Content), ACL: uint64(s.ACL), Lock: uint64(s.Lock),
		Length: int64(s.Length), Checksum: uint64(s.Checksum), Children: int64(s.Children),
		Names: linearizability.FileNames{string(s.Names.Read), string(s.Names.Write), string(s.Names.Change)},
	}
	switch s.Kind {
	case api.Directory:
		f.Kind = linearizability.FileDirectory
	case api.File:
		f.Kind = linearizability.FilePlain
	}
	return f
}

// fileReads says that a call changed nothing: it has a place in the log only where
// it was not answered without.
func fileReads(in linearizability.FileInput, out linearizability.FileOutput) bool {
	switch in.Op {
	case linearizability.FileGet, linearizability.FileGetStat, linearizability.FileReadDir:
		return true
	}
	return in.Op == linearizability.FileOpen && !out.Created
}

// checkFiles places every change where it took effect, and has the witness check
// decide (S4, S3).
func (c *Cell) checkFiles(r *Result) {
	b := c.nodes
	for _, t := range b.trails {
		p, ok := b.results[model.Call{Session: t.trail.Session, Seq: t.trail.Seq}]
		if !ok {
			continue
		}
		if out, known := fileOutput(p.result); known && !fileReads(t.in, out) && (!t.no || out.Code == linearizability.FileOK) {
			b.history.At(t.op, p.at)
			b.history.WitnessOutput(t.op, out)
		}
	}
	h := b.history.History()
	if len(b.trails) > 0 {
		r.nodes = h
	}
	ops := h.Operations()
	for _, t := range b.trails {
		op := &ops[t.op]
		switch {
		case op.Outcome == linearizability.OutcomeUnknown:
			r.Unknown++
		case c.world.Failure() != nil:
		case op.Outcome == linearizability.OutcomeFailed && !op.At.IsZero():
			c.world.Break("S4", "client %d was told that a call on %s was not executed and never will be; it took effect at %v", op.Client, t.in.Path, op.At)
		case op.Outcome == linearizability.OutcomeOK && op.Output.Code == linearizability.FileOK && op.At.IsZero() && !fileReads(t.in, op.Output):
			c.world.Break("S3", "client %d was answered a call on %s, which took effect nowhere in the log", op.Client, t.in.Path)
		}
	}
	decide(c, r, linearizability.File(), h, porcupineSteps)
}
