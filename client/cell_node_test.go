package client_test

import (
	"fmt"
	"sort"
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// node is a file or directory; handle is one that is open, unless its master was
// deposed and the client has not presented it to the present one.
type node struct {
	stat     api.Stat
	contents string
}

type handle struct {
	session        api.SessionID
	node           api.Ref
	rights         api.Rights
	open, poisoned bool
	fence          string // a sequencer, as the present master remembers it
	own            string // the one that stands in this token
	events         api.EventMask
}

func (c *cell) create(path string, kind api.NodeKind, ephemeral bool, contents string) *node {
	c.number++
	n := &node{contents: contents, stat: api.Stat{Kind: kind, Ephemeral: ephemeral, Instance: api.Instance(c.number),
		Lock: api.LockGen(c.number), ACL: api.ACLGen(c.number), Names: api.ACLNames{Read: "r", Write: "w", Change: "c"}}}
	c.nodes[path] = n
	c.write(n, contents)
	return n
}

func (c *cell) write(n *node, contents string) {
	if n.stat.Kind == api.File {
		c.number++
		n.contents, n.stat.Length, n.stat.Checksum = contents, uint64(len(contents)), api.ChecksumOf(contents)
		n.stat.Content = api.ContentGen(c.number)
	}
}

func pathOf(r api.Ref) string { return strings.TrimPrefix(r.Path.String(), "/") }

// children are the names below a directory, ascending.
func (c *cell) children(path string) []string {
	var all []string
	for p := range c.nodes {
		at := strings.LastIndex("/"+p, "/")
		if p != "" && strings.TrimSuffix(("/" + p)[:at], "/") == strings.TrimSuffix("/"+path, "/") {
			all = append(all, ("/" + p)[at+1:])
		}
	}
	sort.Strings(all)
	return all
}

// executeOnNode executes an op on a node.
func (c *cell) executeOnNode(q api.Request) api.Result {
	c.number++
	if o, ok := q.Op.(api.Open); ok {
		return c.open(q.Session, o)
	}
	t, right := handleAndRight(q.Op)
	h := c.handles[t]
	switch {
	case h == nil || h.session != q.Session:
		if _, closes := q.Op.(api.CloseHandle); closes {
			return api.Result{Code: api.OK}
		}
		return api.Result{Code: api.HandleClosed}
	case h.poisoned && right != 0:
		return api.Result{Code: api.HandlePoisoned}
	case !h.rights.Has(right):
		return api.Result{Code: api.NoRight}
	case h.fence != "" && c.check(h.node, h.fence) != api.OK && right != 0:
		return api.Result{Code: api.StaleSequencer}
	}
	h.open = true
	n := c.nodes[pathOf(h.node)]
	if right != 0 && (n == nil || n.stat.Instance != h.node.Instance) {
		return api.Result{Code: api.Gone}
	}
	return c.executeOnHandle(t, h, n, q.Op)
}

// handleAndRight returns the handle that an op uses, and the right that it needs.
func handleAndRight(op api.Op) (api.Token, api.Rights) {
	switch o := op.(type) {
	case api.CloseHandle:
		return o.Handle, 0
	case api.Poison:
		return o.Handle, 0
	case api.CancelAcquire:
		return o.Handle, 0
	case api.Release:
		return o.Handle, 0
	case api.GetContents:
		return o.Handle, api.RightRead
	case api.GetStat:
		return o.Handle, api.RightRead
	case api.ReadDir:
		return o.Handle, api.RightRead
	case api.SetContents:
		return o.Handle, api.RightWrite
	case api.SetACL:
		return o.Handle, api.RightChangeACL
	case api.DeleteNode:
		return o.Handle, api.RightWrite
	case api.Acquire:
		return o.Handle, api.RightWrite
	case api.GetSequencer:
		return o.Handle, api.RightRead
	case api.SetSequencer:
		return o.Handle, api.RightRead
	case api.CheckSequencer:
		return o.Handle, api.RightRead
	}
	panic(fmt.Sprintf("%T", op))
}

func (c *cell) open(s api.SessionID, o api.Open) api.Result {
	p := api.Path{}
	if o.Dir != "" {
		p = c.handles[o.Dir].node.Path
	}
	if o.Path != "" {
		var err error
		if p, err = p.Join(o.Path); err != nil {
			return api.Result{Code: api.Invalid}
		}
	}
	path := pathOf(api.Ref{Path: p})
	n, there := c.nodes[path]
	switch {
	case there && o.Create == api.CreateMust:
		return api.Result{Code: api.Exists}
	case !there && o.Create == api.CreateNever:
		return api.Result{Code: api.NotFound}
	case !there:
		parent, _ := p.Parent()
		up := c.nodes[pathOf(api.Ref{Path: parent})]
		if up == nil {
			return api.Result{Code: api.NotFound}
		}
		if up.stat.Kind != api.Directory {
			return api.Result{Code: api.NotDirectory}
		}
		n = c.create(path, o.Kind, o.Ephemeral, o.Contents)
		up.stat.Children++
		c.tellParent(api.Ref{Path: p}, api.ChildAdded)
	}
	ref := api.Ref{Path: p, Instance: n.stat.Instance}
	t := api.Token(fmt.Sprintf("%d.%d %v", c.epoch, c.number, ref))
	c.handles[t] = &handle{session: s, node: ref, rights: o.Rights, open: true, events: o.Events}
	return api.Result{Code: api.OK, Detail: api.Opened{Token: t, Node: ref, Stat: n.stat, Created: !there}}
}

// executeOnHandle executes an op on an open handle.
func (c *cell) executeOnHandle(t api.Token, h *handle, n *node, op api.Op) api.Result {
	ok := api.Result{Code: api.OK}
	switch o := op.(type) {
	case api.CloseHandle:
		c.freeHandle(t)
		delete(c.handles, t)
	case api.Poison:
		h.poisoned = true
	case api.GetContents:
		if n.stat.Kind != api.File {
			return api.Result{Code: api.IsDirectory}
		}
		ok.Found, ok.Value, ok.Detail = true, n.contents, api.NodeStat{Stat: n.stat}
	case api.GetStat:
		ok.Detail = api.NodeStat{Stat: n.stat}
	case api.ReadDir:
		return c.readDir(h, n, o)
	case api.SetContents:
		if n.stat.Kind != api.File {
			return api.Result{Code: api.IsDirectory}
		}
		if o.When != 0 && o.When != n.stat.Content {
			return api.Result{Code: api.Conflict, Detail: api.NodeStat{Stat: n.stat}}
		}
		c.write(n, o.Contents)
		c.tell(api.Event{Kind: api.EventContents, Node: h.node})
		c.tellParent(h.node, api.ChildChanged)
		ok.Detail = api.NodeStat{Stat: n.stat}
	case api.SetACL:
		if o.When != 0 && o.When != n.stat.ACL {
			return api.Result{Code: api.Conflict, Detail: api.NodeStat{Stat: n.stat}}
		}
		n.stat.Names, n.stat.ACL = o.Names, api.ACLGen(c.number)
		ok.Detail = api.NodeStat{Stat: n.stat}
	case api.DeleteNode:
		if len(c.children(pathOf(h.node))) > 0 {
			return api.Result{Code: api.NotEmpty}
		}
		delete(c.nodes, pathOf(h.node))
		delete(c.locks, pathOf(h.node))
		c.tell(api.Event{Kind: api.EventInvalid, Node: h.node})
		c.tellParent(h.node, api.ChildRemoved)
	default:
		return c.executeOnLock(t, h, n, op)
	}
	return ok
}

// readDir lists three children at a time, or fewer.
func (c *cell) readDir(h *handle, n *node, o api.ReadDir) api.Result {
	if n.stat.Kind != api.Directory {
		return api.Result{Code: api.NotDirectory}
	}
	l := api.Listing{}
	for _, name := range c.children(pathOf(h.node)) {
		if name <= o.After {
			continue
		}
		if l.More = len(l.Children) == 3 || o.Most > 0 && len(l.Children) == int(o.Most); l.More {
			break
		}
		path := strings.TrimPrefix(pathOf(h.node)+"/"+name, "/")
		l.Children = append(l.Children, api.Child{Name: name, Stat: c.nodes[path].stat})
	}
	return api.Result{Code: api.OK, Detail: l}
}
