package cache

// Counters count since the epoch began; for reports only.
type Counters struct {
	Registered uint64 // answers that may be cached
	Refused    uint64 // answers that Register did not make cacheable
	Dropped    uint64 // drops of a path that were queued
	All        uint64 // drops of all that were queued
}

// Status counts what a table remembers, for reports and bounds.
type Status struct {
	Paths         int // that some session may have
	Registrations int
	Held          int // paths that changes hold
	Pending       int // drops that are not acknowledged
	Counters      Counters
}

// Status returns the present numbers, in constant time.
func (t *Table) Status() Status {
	return Status{Paths: len(t.paths), Registrations: t.total, Held: len(t.held), Pending: t.pending, Counters: t.count}
}
