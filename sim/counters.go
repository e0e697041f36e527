package sim

import "sort"

// Counter is a named number of a run.
type Counter struct {
	Name string
	N    uint64
}

// counters keeps names in a map for counting, and returns them in order.
type counters struct{ byName map[string]*uint64 }

func (c *counters) add(name string, n uint64) {
	p := c.byName[name]
	if p == nil {
		if c.byName == nil {
			c.byName = map[string]*uint64{}
		}
		p = new(uint64)
		c.byName[name] = p
	}
	*p += n
}

func (c *counters) list() []Counter {
	out := make([]Counter, 0, len(c.byName))
	for name, n := range c.byName { // order-free: sorted below
		out = append(out, Counter{name, *n})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Count adds one to a counter: a fault was injected, or a rare situation was reached ("sometimes").
// Counters do not enter the hash.
func (w *World) Count(name string) { w.counts.add(name, 1) }

// Counters returns all counters in the order of their names.
func (w *World) Counters() []Counter {
	out := counters{}
	for name, n := range w.counts.byName { // order-free: into a map again
		out.add(name, *n)
	}
	w.net.count(&out)
	return out.list()
}

// Fault records that the caller injected a fault into machine a (0: no particular one). The fault
// enters the trace hash, the counter "fault." plus kind, and the trace. arg distinguishes faults of
// one kind.
func (w *World) Fault(a Addr, kind string, arg uint64) {
	w.hash.fold(markFault<<32 | uint64(a))
	w.hash.text(kind)
	w.hash.fold(arg)
	w.counts.add("fault."+kind, 1)
	w.Tracef(a, "fault", "%s %d", kind, int64(arg))
}
