package cache

// Limits bound a Table. Beyond one of them, what was not used for longest is removed.
type Limits struct {
	Entries int // paths
	Bytes   int // of contents, names and metadata
}

// entryBytes is what an entry counts besides its strings.
const entryBytes = 256

// weigh counts the bytes of an entry that has changed.
func (t *Table) weigh(e *entry) {
	n := entryBytes + len(e.path.String()) + len(e.contents) + 8*len(e.handles)
	for _, name := range e.names {
		n += len(name) + 16
	}
	t.bytes += n - e.bytes
	e.bytes = n
}

// shrink removes entries until the limits are kept.
func (t *Table) shrink() {
	for len(t.entries) > 0 && (len(t.entries) > t.limits.Entries || t.bytes > t.limits.Bytes) {
		t.remove(t.use.prev)
	}
}

// touch makes an entry the newest.
func (t *Table) touch(e *entry) {
	if t.use.next != e {
		e.unlink()
		t.link(e)
	}
}

func (t *Table) link(e *entry) {
	e.prev, e.next = &t.use, t.use.next
	e.prev.next, e.next.prev = e, e
}

func (e *entry) unlink() {
	if e.next != nil {
		e.prev.next, e.next.prev = e.next, e.prev
	}
}

// remove removes an entry.
func (t *Table) remove(e *entry) {
	delete(t.entries, e.path)
	delete(t.absent, e.path)
	e.unlink()
	t.bytes -= e.bytes
	t.dropped = append(t.dropped, e.handles...)
}
