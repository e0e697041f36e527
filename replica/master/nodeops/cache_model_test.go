package nodeops_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/cache"
	"github.com/chubbycell/chubby/replica/master/calls"
	"github.com/chubbycell/chubby/replica/master/nodeops"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// caching is a cell with clients that keep answers in caches, by the rules of the contract and no other
// knowledge. The network between them and Ops loses, copies and delays everything, and leases end at any
// time. Whatever happens, a cache that may be read agrees with the rows: each change was held back until
// the caches had dropped what it touches.
type caching struct {
	*world
	rt      *rapid.T
	cachers []*cacher
	answers []answer     // on their way to clients; each may arrive any number of times
	told    []toldEvents // events in answers to KeepAlives, likewise
	hits    int
}

type answer struct {
	nodeops.Reply
	to *cacher
}

type toldEvents struct {
	to     *cacher
	events []api.Event
	last   api.EventNumber
}

// cacher is a client.
type cacher struct {
	id     api.SessionID
	next   api.Seq
	seen   api.Seq
	tokens map[string]api.Token
	sent   map[api.Seq]*cacheCall
	cache  map[api.Path]*entry
	taken  api.EventNumber
	drops  api.DropNumber // the last drop that it took
	over   bool           // its lease is over: it reads nothing from its cache
	ended  bool
}

// entry is what a client keeps for a path: each part that an answer told.
type entry struct {
	contents *string
	stat     *api.Stat
	names    *string
	absent   bool
	depends  []api.Path
}

type cacheCall struct {
	calls.Request
	path     string
	done     bool // answered, or given up
	overlaps bool // a change of its own was under way at some time: nothing is kept
}

var cachePaths = []string{"/f", "/d", "/d/x", "/acl/bob"}

func newCaching(t *rapid.T) *caching {
	cfg := nodeops.DefaultConfig()
	cfg.Caches = cache.Limits{
		PerSession: rapid.SampledFrom([]int{2, 4, 6, 100}).Draw(t, "per session"),
		Total:      rapid.SampledFrom([]int{5, 12, 1000}).Draw(t, "total"),
	}
	w := &caching{world: newWorld(t, cfg), rt: t}
	w.said, w.quiet = w.reply, true
	w.make("/d", api.Directory)
	w.make("/f", api.File)
	for range 3 {
		w.join()
	}
	return w
}

// make makes a node that clients read.
func (w *caching) make(p string, kind api.NodeKind) {
	id := w.session("ann")
	o := command.OpenNode{Path: path(p), Rights: api.RightRead, Create: api.CreateMay, Kind: kind, Names: api.ACLNames{Read: "all", Write: "all", Change: "bob"}}
	w.upkeep(command.NodeCommand{Guard: w.guard(), Session: id, Seq: 1, Op: o})
	w.upkeep(command.Expire{Guard: w.guard(), Session: id})
}

func (w *caching) join() {
	c := &cacher{
		id: w.session("ann"), tokens: map[string]api.Token{}, sent: map[api.Seq]*cacheCall{}, cache: map[api.Path]*entry{},
	}
	w.cachers = append(w.cachers, c)
	for _, p := range cachePaths {
		c.next++
		s := &cacheCall{Request: calls.Request{Session: c.id, Seq: c.next, Op: api.Open{Path: p[1:], Rights: api.RightRead | api.RightWrite}}, path: p}
		c.sent[c.next] = s
		w.ask(s.Request)
		for _, a := range w.answers {
			w.receive(a)
		}
	}
}

func (w *caching) alive() []*cacher {
	return slices.DeleteFunc(slices.Clone(w.cachers), func(c *cacher) bool { return c.over })
}

// touched returns the paths that an op of a client may change.
func touched(p string, op api.Op) []api.Path {
	up, _ := path(p).Parent()
	switch op := op.(type) {
	case api.SetContents, api.SetACL:
		return []api.Path{path(p)}
	case api.DeleteNode:
		return []api.Path{path(p), up}
	case api.Open:
		if op.Create != api.CreateNever {
			return []api.Path{path(p), up}
		}
	}
	return nil
}

// drop takes out of a cache what depends on a path.
func (c *cacher) drop(p api.Path) {
	maps.DeleteFunc(c.cache, func(_ api.Path, e *entry) bool { return slices.Contains(e.depends, p) })
}

// dropOwn drops what a client must drop by itself when a change of its own begins or ends. Answers to reads
// that it waits for meanwhile are not kept.
func (c *cacher) dropOwn(s *cacheCall) {
	paths := touched(s.path, s.Op)
	for _, p := range paths {
		c.drop(p)
	}
	if len(paths) == 0 {
		return
	}
	for _, o := range c.sent { // order-free: each is looked at alone
		o.overlaps = o.overlaps || !o.done
	}
}

// changes reports whether the client has a change under way.
func (c *cacher) changes() bool {
	for _, o := range c.sent { // order-free: any counts
		if !o.done && len(touched(o.path, o.Op)) > 0 {
			return true
		}
	}
	return false
}

func (w *caching) call(c *cacher, p string, op api.Op) {
	w.deliver(w.prepare(c, p, op))
}

// prepare begins a call, and sends no copy of it yet.
func (w *caching) prepare(c *cacher, p string, op api.Op) *cacheCall {
	c.next++
	s := &cacheCall{Request: calls.Request{Session: c.id, Seq: c.next, Seen: c.seen, Op: op, MayCache: true}, path: p, overlaps: c.changes()}
	c.sent[c.next] = s
	c.dropOwn(s)
	return s
}

// deliver delivers a copy of a request to Ops, or loses it.
func (w *caching) deliver(s *cacheCall) {
	if rapid.IntRange(0, 7).Draw(w.rt, "lost") == 0 {
		return
	}
	c := w.of(s.Session)
	s.Request.MayCache = !c.over
	if !c.ended {
		w.ask(s.Request)
	}
}

func (w *caching) of(id api.SessionID) *cacher {
	for _, c := range w.cachers {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (w *caching) reply(r nodeops.Reply) {
	if c := w.of(r.Session); c != nil {
		w.answers = append(w.answers, answer{r, c})
	}
}

// finish ends a call for its client: no copy of it is sent again.
func (c *cacher) finish(s *cacheCall) {
	s.done = true
	c.dropOwn(s)
	for c.sent[c.seen+1] != nil && c.sent[c.seen+1].done {
		c.seen++
	}
}

// receive takes in an answer, and keeps it if the contract allows that.
func (w *caching) receive(a answer) {
	s := a.to.sent[a.Seq]
	if s == nil || s.done || a.Result.Code == api.Parked {
		return
	}
	if o, ok := a.Result.Detail.(api.Opened); ok && o.Token != "" {
		a.to.tokens[s.path] = o.Token
	}
	keep := a.Cacheable && a.Drops >= a.to.drops && !a.to.over && !s.overlaps
	a.to.finish(s)
	if keep {
		a.to.keep(s, a.Result)
	}
}

func (c *cacher) keep(s *cacheCall, r api.Result) {
	p := path(s.path)
	e := c.cache[p]
	if e == nil || e.absent {
		e = &entry{depends: []api.Path{p}}
		c.cache[p] = e
	}
	switch d := r.Detail.(type) {
	case api.Opened:
		e.hasStat(d.Stat)
	case api.NodeStat:
		e.hasStat(d.Stat)
		if _, ok := s.Op.(api.GetContents); ok {
			e.contents = &r.Value
		}
	case api.Listing:
		names := namesOf(d.Children)
		e.names = &names
	default:
		c.cache[p] = &entry{absent: true, depends: []api.Path{p}}
	}
}

// hasStat keeps metadata, and notes the ACL files on which the answer depends.
func (e *entry) hasStat(s api.Stat) {
	s.Lock = 0
	e.stat = &s
	for _, n := range []api.ACLName{s.Names.Read, s.Names.Write, s.Names.Change} {
		if q, ok := n.Path(); ok {
			e.depends = append(e.depends, q)
		}
	}
}

func namesOf(children []api.Child) string {
	var all []string
	for _, c := range children {
		all = append(all, c.Name)
	}
	return strings.Join(all, " ")
}

// isSo requires that what clients may read from their caches agrees with the rows.
func (w *caching) isSo() {
	w.audits()
	for _, c := range w.alive() {
		for _, p := range slices.SortedFunc(maps.Keys(c.cache), api.Path.Compare) {
			w.hits++
			w.isSoAt(c, p, c.cache[p])
		}
	}
}

func (w *caching) isSoAt(c *cacher, p api.Path, e *entry) {
	n, stat, code := tree.Lookup(w.db, p)
	stat.Lock = 0
	if e.absent {
		require.Equal(w.rt, api.NotFound, code, "session %d believes that nothing is at %v", c.id, p)
		return
	}
	require.Equal(w.rt, api.OK, code, "session %d believes that a node is at %v", c.id, p)
	if e.stat != nil {
		require.Equal(w.rt, *e.stat, stat, "session %d, metadata of %v", c.id, p)
	}
	if e.contents != nil {
		contents, _, _ := tree.Contents(w.db, n)
		require.Equal(w.rt, *e.contents, contents, "session %d, contents of %v", c.id, p)
	}
	if e.names != nil {
		children, _, _ := tree.List(w.db, n, "", 0)
		require.Equal(w.rt, *e.names, namesOf(children), "session %d, names in %v", c.id, p)
	}
}

func (w *caching) audits() {
	require.NoError(w.rt, w.calls.Audit())
	require.NoError(w.rt, w.ops.Audit(w.db))
}

func TestWhatIsCachedIsSo(t *testing.T) {
	hits := 0
	rapid.Check(t, func(t *rapid.T) {
		w := newCaching(t)
		actions := map[string]func(*rapid.T){
			"read": w.actRead, "read more": w.actRead, "read yet more": w.actRead, "open": w.actOpen, "change": w.actChange,
			"copy": w.actCopy, "late copy": w.actLateCopy, "give up early": w.actGiveUpEarly, "cross": w.actCross, "give up": w.actGiveUp, "answer": w.actAnswer, "another answer": w.actAnswer, "late answer": w.actLateAnswer,
			"ask for events": w.actTold, "take events": w.actTake, "acknowledge": w.actAck, "acknowledge too": w.actAck,
			"lease ends": w.actLeaseEnds, "session ends": w.actSessionEnds, "apply": w.actApply, "apply too": w.actApply,
			"slot":      func(*rapid.T) { w.slot() },
			"authority": func(t *rapid.T) { w.authority = rapid.IntRange(0, 5).Draw(t, "authority") > 0 },
			"time":      func(*rapid.T) { w.pass(time.Second) },
			"":          func(*rapid.T) { w.isSo() },
		}
		for range 3 {
			t.Repeat(actions)
		}
		w.settle()
		hits += w.hits
	})
	require.Greater(t, hits, 100, "caches were empty")
}
