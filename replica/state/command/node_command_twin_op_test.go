package command_test

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

func (w *actTwin) valid(q api.Sequencer) bool {
	l := w.lock(q.Node)
	for _, h := range l.holds {
		return l.gen == q.Gen && h.Mode == q.Mode
	}
	return false
}

// nodeOp executes a node operation on the twin and returns its answer.
func (w *actTwin) nodeOp(c command.NodeCommand) api.Result {
	code := func(c api.Code) api.Result { return api.Result{Code: c} }
	at := func(n api.Ref, f func(*twinFile) api.Result) api.Result {
		if node := w.at(n); node != nil {
			return f(node)
		}
		return code(api.Gone)
	}
	fenced := func(q api.Sequencer, f func() api.Result) api.Result {
		if q != (api.Sequencer{}) && !w.valid(q) {
			return code(api.StaleSequencer)
		}
		return f()
	}
	stated := func(c api.Code, n api.Ref) api.Result {
		return api.Result{Code: c, Detail: api.NodeStat{Stat: w.stat(n.Path.String())}}
	}
	switch d := c.Op.(type) {
	case command.OpenNode:
		return fenced(d.Fence, func() api.Result { return w.open(d, w.who[c.Session]) })
	case command.GetContents:
		return fenced(d.Fence, func() api.Result {
			return at(d.Node, func(f *twinFile) api.Result {
				if f.stat.Kind == api.Directory {
					return code(api.IsDirectory)
				}
				r := stated(api.OK, d.Node)
				r.Value = f.contents
				return r
			})
		})
	case command.GetStat:
		return fenced(d.Fence, func() api.Result {
			return at(d.Node, func(*twinFile) api.Result { return stated(api.OK, d.Node) })
		})
	case command.ReadDir:
		return fenced(d.Fence, func() api.Result {
			return at(d.Node, func(f *twinFile) api.Result { return w.list(d, f) })
		})
	case command.SetContents:
		return fenced(d.Fence, func() api.Result {
			return at(d.Node, func(f *twinFile) api.Result {
				switch {
				case f.stat.Kind == api.Directory:
					return code(api.IsDirectory)
				case d.When != 0 && d.When != f.stat.Content:
					return stated(api.Conflict, d.Node)
				}
				f.contents, f.stat.Content = d.Contents, api.ContentGen(w.number)
				return stated(api.OK, d.Node)
			})
		})
	case command.SetACL:
		return fenced(d.Fence, func() api.Result {
			return at(d.Node, func(f *twinFile) api.Result {
				if d.When != 0 && d.When != f.stat.ACL {
					return stated(api.Conflict, d.Node)
				}
				f.stat.Names, f.stat.ACL = d.Names, api.ACLGen(w.number)
				return stated(api.OK, d.Node)
			})
		})
	case command.DeleteNode:
		return fenced(d.Fence, func() api.Result {
			if where := d.Node.Path.String(); where == "/" || where == "/acl" {
				return code(api.Invalid)
			}
			return code(w.delete(d.Node))
		})
	case command.GetSequencer:
		return fenced(d.Fence, func() api.Result {
			h, ok := w.lock(d.Node).holds[lock.Owner{Session: c.Session, Handle: d.Handle}]
			if !ok {
				return code(api.NotHeld)
			}
			q := api.Sequencer{Node: d.Node, Mode: h.Mode, Gen: w.lock(d.Node).gen}
			return api.Result{Code: api.OK, Detail: api.Sequenced{Sequencer: q}}
		})
	case command.CheckSequencer:
		return fenced(d.Fence, func() api.Result {
			return fenced(d.Sequencer, func() api.Result { return code(api.OK) })
		})
	case command.Acquire:
		return fenced(d.Fence, func() api.Result {
			return at(d.Node, func(*twinFile) api.Result { return w.acquire(d, lock.Owner{Session: c.Session, Handle: d.Handle}) })
		})
	case command.Release:
		return code(w.release(d.Node, lock.Owner{Session: c.Session, Handle: d.Handle}, d.Acquisition))
	case command.CloseHandle:
		delete(w.lock(d.Node).holds, lock.Owner{Session: c.Session, Handle: d.Handle})
		return code(api.OK)
	case command.CancelAcquire:
		return w.cancel(c, d)
	case command.Fail:
		return code(d.Code)
	}
	panic("no such operation")
}

func (w *actTwin) open(d command.OpenNode, who api.Principal) api.Result {
	if d.Dir.Instance != 0 && w.at(d.Dir) == nil {
		return api.Result{Code: api.Gone}
	}
	where := d.Path.String()
	n := w.nodes[where]
	up, _ := d.Path.Parent()
	parent := w.nodes[up.String()]
	switch {
	case n != nil && d.Create == api.CreateMust:
		return api.Result{Code: api.Exists}
	case n != nil && !w.may(n.stat.Names, d.Rights, who):
		return api.Result{Code: api.Permission}
	case n == nil && d.Create == api.CreateNever, n == nil && parent == nil:
		return api.Result{Code: api.NotFound}
	case n == nil && parent.stat.Kind == api.File:
		return api.Result{Code: api.NotDirectory}
	case n == nil && (!w.may(parent.stat.Names, api.RightWrite, who) || !w.may(d.Names.Or(parent.stat.Names), d.Rights, who)):
		return api.Result{Code: api.Permission}
	}
	if n == nil {
		s := api.Stat{Kind: d.Kind, Ephemeral: d.Ephemeral, Instance: api.Instance(w.number), Lock: api.LockGen(w.number),
			ACL: api.ACLGen(w.number), Names: d.Names.Or(parent.stat.Names)}
		if d.Kind == api.File {
			s.Content = api.ContentGen(w.number)
		}
		w.nodes[where] = &twinFile{s, d.Contents}
	}
	s := w.stat(where)
	return api.Result{Code: api.OK, Detail: api.Opened{Node: api.Ref{Path: d.Path, Instance: s.Instance}, Stat: s, Created: n == nil}}
}

func (w *actTwin) list(d command.ReadDir, f *twinFile) api.Result {
	if f.stat.Kind == api.File {
		return api.Result{Code: api.NotDirectory}
	}
	var all []api.Child
	where := d.Node.Path.String()
	for _, name := range w.children(where) {
		if name > d.After {
			if d.Most > 0 && uint64(len(all)) == d.Most {
				return api.Result{Code: api.OK, Detail: api.Listing{Children: all, More: true}}
			}
			all = append(all, api.Child{Name: name, Stat: w.stat(strings.TrimSuffix(where, "/") + "/" + name)})
		}
	}
	return api.Result{Code: api.OK, Detail: api.Listing{Children: all}}
}

func (w *actTwin) delete(n api.Ref) api.Code {
	switch {
	case w.at(n) == nil:
		return api.Gone
	case len(w.children(n.Path.String())) > 0:
		return api.NotEmpty
	}
	delete(w.nodes, n.Path.String())
	l := w.lock(n)
	clear(l.holds)
	clear(l.delays)
	return api.OK
}

func (w *actTwin) acquire(d command.Acquire, o lock.Owner) api.Result {
	l := w.lock(d.Node)
	for n, other := range w.locks {
		if h, holds := other.holds[o]; holds && (n != d.Node || h.Mode != d.Mode) {
			return api.Result{Code: api.LockOther}
		} else if holds {
			return api.Result{Code: api.OK, Detail: api.Held{Gen: l.gen, Acquisition: h.Acquisition}}
		}
	}
	for _, h := range l.holds {
		if h.Mode == api.Exclusive || d.Mode == api.Exclusive {
			return api.Result{Code: api.LockHeld}
		}
	}
	if len(l.delays) > 0 {
		return api.Result{Code: api.LockDelayed}
	}
	if len(l.holds) == 0 {
		l.gen = api.LockGen(w.number)
	}
	l.holds[o] = lock.Hold{Mode: d.Mode, Acquisition: api.Acquisition(w.number), Delay: min(d.Delay, api.MaxLockDelay)}
	return api.Result{Code: api.OK, Detail: api.Held{Gen: l.gen, Acquisition: api.Acquisition(w.number)}}
}

func (w *actTwin) release(n api.Ref, o lock.Owner, a api.Acquisition) api.Code {
	if h, ok := w.lock(n).holds[o]; !ok || h.Acquisition != a {
		return api.NotHeld
	}
	delete(w.lock(n).holds, o)
	return api.OK
}

func (w *actTwin) cancel(c command.NodeCommand, d command.CancelAcquire) api.Result {
	if d.Call <= w.seen[c.Session] {
		return api.Result{Code: api.Invalid}
	}
	name := callName{c.Session, d.Call}
	if answer, done := w.executed[name]; !done {
		w.executed[name] = api.Result{Code: api.Cancelled}
	} else if held, ok := answer.Detail.(api.Held); ok {
		w.release(d.Node, lock.Owner{Session: c.Session, Handle: d.Handle}, held.Acquisition)
	}
	return api.Result{Code: api.OK}
}
