package api

import "encoding/binary"

func appendEvents(dst []byte, l Leased) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(l.Events)))
	if len(l.Events) == 0 {
		return dst
	}
	for _, e := range l.Events {
		dst = appendEvent(dst, e)
	}
	return binary.AppendUvarint(dst, uint64(l.LastEvent))
}

func appendEvent(dst []byte, e Event) []byte {
	if e.Kind.IsDrop() {
		return appendDrop(append(dst, byte(e.Kind)), e)
	}
	dst = appendRef(append(dst, byte(e.Kind)), e.Node)
	dst = binary.AppendUvarint(dst, uint64(e.Cause))
	switch e.Kind {
	case EventChildren:
		return append(appendString(dst, e.Child), byte(e.Change))
	case EventLockWanted:
		return binary.AppendUvarint(append(dst, byte(e.Mode)), uint64(e.Acquisition))
	}
	return dst
}

func appendDrop(dst []byte, e Event) []byte {
	switch e.Kind {
	case EventDrop:
		dst = AppendPath(dst, e.Node.Path)
	case EventDropLocks:
		dst = appendRef(dst, e.Node)
	}
	dst = binary.AppendUvarint(dst, uint64(e.Cause))
	return binary.AppendUvarint(dst, uint64(e.Drop))
}

// minEvent is the size of the shortest event: the kind, cause and number of an EventDropAll.
const minEvent = 3

// events reads the events of an answer into l.
func (c *cursor) events(l Leased) Leased {
	n := c.count(minEvent)
	if n == 0 {
		return l
	}
	if n > MaxEvents {
		c.fail("%d events", n)
		return l
	}
	for range n {
		l.Events = append(l.Events, c.event())
	}
	l.LastEvent = EventNumber(c.uint())
	if c.err == nil && l.LastEvent < EventNumber(n) {
		c.fail("%d events up to number %d", n, l.LastEvent)
	}
	return l
}

func (c *cursor) event() Event {
	e := Event{Kind: EventKind(c.byte())}
	switch {
	case c.err != nil:
		return e
	case !e.Kind.Valid():
		c.fail("event of kind %d", e.Kind)
		return e
	case e.Kind.IsDrop():
		return c.drop(e)
	}
	e.Node, e.Cause = c.ref(), Number(c.uint())
	switch {
	case c.err != nil:
	case e.Kind == EventChildren:
		e.Child, e.Change = c.string(), Change(c.byte())
		if c.err == nil && (!e.Change.Valid() || CheckComponent(e.Child) != OK) {
			c.fail("change %d of child %q", e.Change, e.Child)
		}
	case e.Kind == EventLockWanted:
		e.Mode, e.Acquisition = Mode(c.byte()), Acquisition(c.uint())
		if c.err == nil && (!e.Mode.Valid() || e.Acquisition == 0) {
			c.fail("a lock wanted in mode %d of acquisition %d", e.Mode, e.Acquisition)
		}
	}
	return e
}

func (c *cursor) drop(e Event) Event {
	switch e.Kind {
	case EventDrop:
		e.Node.Path = c.path()
	case EventDropLocks:
		e.Node = c.ref()
	}
	e.Cause, e.Drop = Number(c.uint()), DropNumber(c.uint())
	if c.err == nil && e.Drop == 0 {
		c.fail("a drop without a number")
	}
	return e
}
