package command_test

import (
	"slices"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// actTwin is a founded cell without rows, codec, clean-up or bounds: maps of nodes
// and of locks, and every answer that was ever given.
type actTwin struct {
	number uint64
	epoch  api.Epoch
	twin   // its sessions and their answers
	who    map[api.SessionID]api.Principal
	nodes  map[string]*twinFile // by path
	locks  map[api.Ref]*twinLock
}

type twinFile struct {
	stat     api.Stat
	contents string
}

type twinLock struct {
	gen    api.LockGen
	holds  map[lock.Owner]lock.Hold
	delays map[api.Number]api.LockDelay
}

func newActTwin() *actTwin {
	w := &actTwin{number: 2, epoch: 1, twin: *newTwin(), who: map[api.SessionID]api.Principal{},
		nodes: map[string]*twinFile{}, locks: map[api.Ref]*twinLock{}}
	f := founding()
	add := func(where string, kind api.NodeKind, names api.ACLNames, contents string) {
		s := api.Stat{Kind: kind, Instance: 2, Lock: 2, ACL: 2, Names: names}
		if kind == api.File {
			s.Content = 2
		}
		w.nodes[where] = &twinFile{s, contents}
	}
	add("/", api.Directory, f.Root, "")
	add("/acl", api.Directory, f.ACL, "")
	for _, file := range f.Files {
		add("/acl/"+string(file.Name), api.File, f.ACL, file.Contents)
	}
	return w
}

// apply applies a command to the twin, and returns its result and whether it was executed now.
func (w *actTwin) apply(c command.Command) (api.Result, bool) {
	w.number++
	w.twin.number, w.twin.epoch = w.number, w.epoch
	switch c := c.(type) {
	case command.Epoch:
		w.epoch++
		return api.Result{Code: api.OK}, true
	case command.Call:
		_, had := w.twin.opened[opener(c)]
		r := w.call(c)
		return r, r.Code == api.OK && !had
	case command.NodeCommand:
		return w.act(c)
	}
	if guardOf(c) != w.epoch {
		return api.Result{Code: api.Aborted}, false
	}
	code := w.upkeep(c)
	return api.Result{Code: code}, code == api.OK
}

func opener(c command.Call) api.Nonce {
	op, _ := c.Op.(api.OpenSession)
	return op.Nonce
}

func guardOf(c command.Command) api.Epoch {
	switch c := c.(type) {
	case command.Expire:
		return c.Guard
	case command.FailHandle:
		return c.Guard
	case command.DelayOver:
		return c.Guard
	case command.Sweep:
		return c.Guard
	}
	return 0
}

// call opens and ends sessions, as the twin of calls does.
func (w *actTwin) call(c command.Call) api.Result {
	w.twin.number--
	r := w.twin.apply(c)
	if _, opens := c.Op.(api.OpenSession); opens && r.Code == api.OK && w.who[r.Session] == "" {
		w.who[r.Session] = c.Principal
	}
	if _, ends := c.Op.(api.EndSession); ends && r.Code == api.OK {
		w.drop(func(o lock.Owner) bool { return o.Session == c.Session }, false)
	}
	return r
}

// drop frees what these owners hold; if they failed, their delays begin.
func (w *actTwin) drop(whose func(lock.Owner) bool, failed bool) (n int) {
	for _, l := range w.locks {
		for o, h := range l.holds {
			if !whose(o) {
				continue
			}
			n++
			delete(l.holds, o)
			if now := api.Number(w.number); failed && h.Delay > 0 {
				l.delays[now] = max(l.delays[now], h.Delay)
			}
		}
	}
	return n
}

func (w *actTwin) upkeep(c command.Command) api.Code {
	switch c := c.(type) {
	case command.Expire:
		if _, alive := w.seen[c.Session]; !alive {
			return api.NoSession
		}
		w.drop(func(o lock.Owner) bool { return o.Session == c.Session }, true)
		w.forget(c.Session)
	case command.FailHandle:
		if _, alive := w.seen[c.Session]; !alive {
			return api.NoSession
		}
		if w.drop(func(o lock.Owner) bool { return o == lock.Owner{Session: c.Session, Handle: c.Handle} }, true) == 0 {
			return api.NotHeld
		}
	case command.DelayOver:
		if _, running := w.lock(c.Node).delays[c.Freed]; !running {
			return api.NotFound
		}
		delete(w.lock(c.Node).delays, c.Freed)
	case command.Sweep:
		if f := w.at(c.Node); f != nil && !f.stat.Ephemeral {
			return api.Invalid
		}
		return w.delete(c.Node)
	}
	return api.OK
}

func (w *actTwin) act(c command.NodeCommand) (api.Result, bool) {
	seen, alive := w.seen[c.Session]
	name := callName{c.Session, c.Seq}
	before, done := w.executed[name]
	switch {
	case !alive:
		return api.Result{Code: api.NoSession}, false
	case c.Seq <= seen:
		return api.Result{Code: api.Stale}, false
	case done:
		return before, false
	case c.Guard != w.epoch:
		return api.Result{Code: api.Aborted}, false
	}
	r := w.nodeOp(c)
	if d, ok := c.Op.(command.Acquire); ok && d.Wait && (r.Code == api.LockHeld || r.Code == api.LockDelayed) {
		return r, false
	}
	w.seen[c.Session] = max(seen, c.AckedThrough)
	w.executed[name] = r
	return r, true
}

func (w *actTwin) at(n api.Ref) *twinFile {
	f := w.nodes[n.Path.String()]
	if f == nil || f.stat.Instance != n.Instance {
		return nil
	}
	return f
}

// lock returns the lock of a node. It removes none: no call can acquire that of a deleted node.
func (w *actTwin) lock(n api.Ref) *twinLock {
	if w.locks[n] == nil {
		w.locks[n] = &twinLock{holds: map[lock.Owner]lock.Hold{}, delays: map[api.Number]api.LockDelay{}}
	}
	return w.locks[n]
}

// stat computes the metadata of a node from the whole twin.
func (w *actTwin) stat(where string) api.Stat {
	f := w.nodes[where]
	s := f.stat
	if s.Kind == api.File {
		s.Length, s.Checksum = uint64(len(f.contents)), api.ChecksumOf(f.contents)
	}
	s.Children = uint64(len(w.children(where)))
	if l := w.locks[api.Ref{Path: path(where), Instance: s.Instance}]; l != nil && l.gen > 0 {
		s.Lock = l.gen
	}
	return s
}

func (w *actTwin) children(where string) (names []string) {
	under := strings.TrimSuffix(where, "/") + "/"
	for p := range w.nodes {
		if rest, ok := strings.CutPrefix(p, under); ok && rest != "" && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names
}

func (w *actTwin) may(names api.ACLNames, want api.Rights, who api.Principal) bool {
	for right, name := range map[api.Rights]api.ACLName{api.RightRead: names.Read, api.RightWrite: names.Write, api.RightChangeACL: names.Change} {
		f := w.nodes["/acl/"+string(name)]
		if want.Has(right) && (f == nil || f.stat.Kind != api.File || !strings.Contains(f.contents, string(who)) && !strings.Contains(f.contents, "*")) {
			return false
		}
	}
	return true
}

func (w *actTwin) forget(id api.SessionID) {
	delete(w.seen, id)
	for nonce, of := range w.opened {
		if of == id {
			delete(w.opened, nonce)
		}
	}
}
