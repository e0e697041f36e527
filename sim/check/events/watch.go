package events

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
)

// Watch is what one handle has been told, and has yet to be told.
type Watch struct {
	c       *Checker
	session api.SessionID
	node    api.Ref
	id      api.HandleID
	mask    client.EventMask
	after   api.Number // the last command when the program was given the handle

	last  api.Number              // the highest cause told
	heard map[eventKey]api.Number // the highest cause told of each
	owed  map[eventKey]api.Number // the last cause that has happened and was not told
	gen   client.ContentGen       // the least generation that a read must find
}

// Opened begins a watch: a program was given a handle that asks for these events, with this
// metadata of the node.
func (c *Checker) Opened(s api.SessionID, n api.Ref, id api.HandleID, mask client.EventMask, stat client.Stat) *Watch {
	w := &Watch{c: c, session: s, node: n, id: id, mask: mask, after: c.top, heard: map[eventKey]api.Number{}, owed: map[eventKey]api.Number{}}
	if h := c.nodes[n]; h != nil {
		for _, x := range h.all { // written before the answer arrived
			if x.kind == client.EventContents && x.gen > stat.Content {
				w.owe(x)
			}
		}
	}
	c.watches[n] = append(c.watches[n], w)
	return w
}

// maskOf returns the element of a mask that asks for a kind; 0: none does.
func maskOf(k client.EventKind) client.EventMask {
	return map[client.EventKind]client.EventMask{
		client.EventContents: client.WantContents, client.EventChildren: client.WantChildren, client.EventInvalid: client.WantInvalid,
		client.EventLockAcquired: client.WantLockAcquired, client.EventLockWanted: client.WantLockWanted, client.EventFailover: client.WantFailover,
	}[k]
}

func (w *Watch) owe(x happened) {
	if w.mask&maskOf(x.kind) != 0 {
		w.owed[x.eventKey] = x.by
	}
}

// Hears reports an event that the program has taken.
func (w *Watch) Hears(e client.Event) {
	by := api.Number(e.Cause)
	switch {
	case e.Kind == client.EventReadAgain:
		w.c.ReadAgain++
		if by != 0 {
			w.c.Replaced++
		}
		w.settle(by)
	case w.mask&maskOf(e.Kind) == 0:
		w.breakf(e, "which its handle did not ask for")
	case by > w.c.top:
		w.breakf(e, "and the last command that was applied is %d", w.c.top)
	default:
		w.c.Told++
		w.judge(e, by)
	}
	if by == 0 {
		return
	}
	if by < w.last {
		w.breakf(e, "after one of command %d", w.last)
	}
	w.last = by
}

// judge checks an event of a kind that the handle asked for.
func (w *Watch) judge(e client.Event, by api.Number) {
	k := eventKey{e.Kind, e.Child, e.Change}
	switch e.Kind {
	case client.EventFailover:
		return
	case client.EventLockWanted:
		w.c.Wanted++
		if !w.c.held[w.id] {
			w.breakf(e, "and its handle has never held it")
		}
		return
	case client.EventInvalid:
		if by == 0 { // the client says that its session has expired, which S11 is about
			return
		}
		if !w.isDeleted(by) {
			w.breakf(e, "and the node was not deleted")
		}
	default:
		x, ok := w.find(by, k)
		if !ok {
			w.breakf(e, "which that command has not done")
			return
		}
		w.gen = max(w.gen, x.gen)
		if w.heard[k] == by {
			w.breakf(e, "a second time")
		}
	}
	w.heard[k] = by
	if w.owed[k] <= by {
		delete(w.owed, k)
	}
	if first, n := w.firstOwed(); n != 0 && n < by && e.Kind != client.EventInvalid {
		w.breakf(e, "and has not heard of %s, nor since then that it must read again", w.missed(first, n))
	}
}

func (w *Watch) find(by api.Number, k eventKey) (happened, bool) {
	h := w.c.nodes[w.node]
	if h == nil {
		return happened{}, false
	}
	return h.by(by, k)
}

func (w *Watch) isDeleted(until api.Number) bool {
	h := w.c.nodes[w.node]
	return h != nil && slices.ContainsFunc(h.all, func(x happened) bool { return x.kind == client.EventInvalid && x.by <= until })
}

// settle forgets what is owed by commands up to until; 0: all.
func (w *Watch) settle(until api.Number) {
	maps.DeleteFunc(w.owed, func(_ eventKey, by api.Number) bool { return until == 0 || by <= until })
}

// AsksContents begins a read of the file. Call the function that it returns with the
// generation that the read found.
func (w *Watch) AsksContents() func(client.ContentGen) {
	least := w.gen
	return func(found client.ContentGen) {
		if found < least {
			w.c.world.Break("S13", "session %d has heard of contents %d of %v, and reads contents %d then", w.session, least, w.node, found)
		}
	}
}

// Ends is called when the handle can expect no more events: it is closed or poisoned, or its
// session is over.
func (w *Watch) Ends() {
	of := slices.DeleteFunc(w.c.watches[w.node], func(x *Watch) bool { return x == w })
	if w.c.watches[w.node] = of; len(of) == 0 {
		delete(w.c.watches, w.node)
	}
	w.owed = nil
}

// Owed describes the first event that is still owed; it is empty if there is none, or if the
// session has ended.
func (w *Watch) Owed() string {
	if len(w.owed) == 0 || w.c.ended[w.session] {
		return ""
	}
	return w.missed(w.firstOwed())
}

// missed describes an event that is owed, by its command.
func (w *Watch) missed(k eventKey, by api.Number) string {
	x, _ := w.find(by, k)
	return fmt.Sprintf("%v by command %d, executed at %.6fs", k, by, x.at.Seconds())
}

// tight is up to how many events of a kind count as few: a run often has more of them at a time.
const tight = 8

// firstOwed returns the first event that is still owed; by is 0 if there is none.
func (w *Watch) firstOwed() (first eventKey, by api.Number) {
	for k, n := range w.owed { // order-free: the least number, and for equal numbers the least text
		if by == 0 || n < by || n == by && k.String() < first.String() {
			first, by = k, n
		}
	}
	return first, by
}

// Misses breaks S13 if an event is still owed. after describes how long it had time to come.
func (w *Watch) Misses(after string) {
	if owed := w.Owed(); owed != "" {
		w.c.world.Break("S13", "session %d has %v open and did not hear of it within %s: %s (%s)", w.session, w.node, after, owed, w.describe())
	}
}

func (w *Watch) breakf(e client.Event, format string, args ...any) {
	k, age := eventKey{e.Kind, e.Child, e.Change}, ""
	if x, ok := w.find(api.Number(e.Cause), k); ok && w.c.world.Now()-x.at >= slow {
		age = fmt.Sprintf(", which the program takes %.0f s after it happened", (w.c.world.Now() - x.at).Seconds())
	}
	w.c.world.Break("S13", "session %d hears of %v: %v by command %d%s, %s (%s)", w.session, w.node, k, e.Cause, age, fmt.Sprintf(format, args...), w.describe())
}

// slow is how old an event is that waited in the client for a slow program, or in the master.
const slow = 2 * time.Second

// describe says what the handle is, and which others the session has of the node: the master sends what any of them
// asks for, and knows a handle of an earlier epoch only since it was presented.
func (w *Watch) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "by its handle %v", w.id)
	if w.id.Epoch < w.c.epoch {
		b.WriteString(", opened under an earlier master")
	}
	fmt.Fprintf(&b, ", which asks for %s", wanted(w.mask))
	others := 0
	for _, x := range slices.Backward(w.c.watches[w.node]) { // those of the present master first
		if x == w || x.session != w.session {
			continue
		}
		switch others++; {
		case others > mostOthers:
			continue
		case x.id.Epoch < w.c.epoch:
			fmt.Fprintf(&b, "; another is %v, opened under an earlier master", x.id)
		default:
			fmt.Fprintf(&b, "; another is %v, opened under this master after command %d", x.id, x.after)
		}
		if x.mask != w.mask {
			fmt.Fprintf(&b, ", which asks for %s", wanted(x.mask))
		}
	}
	if others > mostOthers {
		fmt.Fprintf(&b, "; and %d more", others-mostOthers)
	}
	if r := w.c.Room; r.Node > 0 && min(r.Node, r.Session) <= tight {
		fmt.Fprintf(&b, "; of events that wait to be sent to a client, a master here keeps at most %d about a node and %d in all, and must say read again in place of more", r.Node, r.Session)
	}
	return b.String()
}

// mostOthers is how many other handles of a node are described.
const mostOthers = 2

// wanted lists the kinds of events that a mask asks for.
func wanted(m client.EventMask) string {
	var all []string
	for k := client.EventContents; k <= client.EventLockWanted; k++ {
		if m&maskOf(k) != 0 {
			all = append(all, k.String())
		}
	}
	return strings.Join(all, ", ")
}

// String formats what happened, for reports.
func (k eventKey) String() string {
	if k.kind == client.EventChildren {
		return fmt.Sprintf("child %s %v", k.child, k.change)
	}
	return k.kind.String()
}
