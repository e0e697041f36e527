package client_test

import (
	"slices"

	"github.com/chubbycell/chubby/replica/api"
)

// caching is what the cell's master remembers of its clients' caches.
type caching struct {
	on     bool // answers may be cached
	has    map[cached]bool
	drops  map[api.SessionID]api.DropNumber
	untold map[cached]api.EventNumber // drops that are not acknowledged, as which event
	barred []request                  // changes that wait for them
}

// cached is a path that a session may have in its cache.
type cached struct {
	session api.SessionID
	path    api.Path
}

func newCaching() caching {
	return caching{has: map[cached]bool{}, drops: map[api.SessionID]api.DropNumber{}, untold: map[cached]api.EventNumber{}}
}

// touched are the paths that a request may change.
func (c *cell) touched(q api.Request) []api.Path {
	p, family := api.Path{}, false
	switch o := q.Op.(type) {
	case api.Open:
		if o.Dir != "" && c.handles[o.Dir] != nil {
			p = c.handles[o.Dir].node.Path
		}
		if o.Path != "" {
			p, _ = p.Join(o.Path)
		}
		if c.nodes[pathOf(api.Ref{Path: p})] != nil || o.Create == api.CreateNever {
			return nil
		}
		family = true
	case api.SetContents, api.SetACL, api.DeleteNode:
		h := c.handles[api.HandleOf(q.Op)]
		if h == nil {
			return nil
		}
		p = h.node.Path
		_, family = o.(api.DeleteNode)
	default:
		return nil
	}
	if up, ok := p.Parent(); ok && family {
		return []api.Path{p, up}
	}
	return []api.Path{p}
}

// bar holds a change while another session may have in its cache what it changes.
func (c *cell) bar(r request) bool {
	waits := false
	for _, p := range c.touched(r.q) {
		for id := range c.sessions {
			k := cached{id, p}
			if id == r.q.Session {
				delete(c.caching.has, k)
				continue
			}
			if c.caching.has[k] {
				delete(c.caching.has, k)
				c.caching.drops[id]++
				c.tellSession(id, api.Event{Kind: api.EventDrop, Node: api.Ref{Path: p}, Drop: c.caching.drops[id]})
				t := c.leases.told[id]
				c.caching.untold[k] = t.acked + api.EventNumber(len(t.events))
			}
			waits = waits || c.caching.untold[k] != 0
		}
	}
	if waits {
		c.caching.barred = append(c.caching.barred, r)
	}
	return waits
}

// unbar lets changes go on that wait for nothing any more.
func (c *cell) unbar() {
	for k, n := range c.caching.untold {
		if t := c.leases.told[k.session]; c.sessions[k.session] == nil || t == nil || n <= t.acked {
			delete(c.caching.untold, k)
		}
	}
	barred := c.caching.barred
	c.caching.barred = nil
	for _, r := range barred {
		c.process(r)
	}
}

// cacheable registers what the answer to a read depends on, if its client may cache it.
func (c *cell) cacheable(q api.Request, res api.Result) bool {
	id := q.Session
	if !c.caching.on || !q.MayCache || c.leases.none || c.leases.flushed[id] != c.epoch || !c.leases.end[id].After(c.now()) {
		return false
	}
	paths := c.dependsOn(q, res)
	for _, r := range c.caching.barred {
		for _, p := range c.touched(r.q) {
			if slices.Contains(paths, p) {
				return false
			}
		}
	}
	for _, p := range paths {
		c.caching.has[cached{id, p}] = true
	}
	return len(paths) > 0
}

func (c *cell) dependsOn(q api.Request, res api.Result) (all []api.Path) {
	switch o := q.Op.(type) {
	case api.GetContents, api.GetStat, api.ReadDir:
		if h := c.handles[api.HandleOf(q.Op)]; h != nil && res.Code == api.OK {
			all = append(all, h.node.Path)
		}
	case api.Open:
		if opened, ok := res.Detail.(api.Opened); ok && !opened.Created {
			all = append(all, opened.Node.Path)
		}
		if res.Code == api.NotFound && o.Create == api.CreateNever && o.Dir == "" {
			p, _ := api.Path{}.Join(o.Path)
			up, _ := p.Parent()
			all = append(all, p, up)
		}
	}
	if len(all) != 1 {
		return all
	}
	for _, name := range []api.ACLName{"r", "w", "c"} {
		p, _ := name.Path()
		all = append(all, p)
	}
	return all
}

// calls is how many calls the cell has executed; KeepAlives are none.
func (c *cell) calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.executed
}

// open are the handles that are open at the cell.
func (c *cell) openHandles() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.handles)
}

// refOf is the node at a path. It is called within set.
func (c *cell) refOf(path string) api.Ref {
	p, _ := api.Path{}.Join(path)
	return api.Ref{Path: p, Instance: c.nodes[path].stat.Instance}
}
