package event

// FaultStruck says that a fault of a kind begins, for the n-th time in this run.
type FaultStruck struct {
	Kind string
	N    int
}

// FaultActs says that a fault which struck earlier, and deferred a part of its work, does
// that part next: it comes before any other event of a fault.
type FaultActs struct {
	Kind string
	N    int
}

// Healed says that the safety phase is over: every fault that was in force has ended,
// and every machine runs.
type Healed struct{}

func (FaultStruck) event() {}
func (FaultActs) event()   {}
func (Healed) event()      {}
