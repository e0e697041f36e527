package event

// FaultStruck says that a fault of a kind begins, for the n-th time in this run.
type FaultStruck struct {
	Kind string
	N    int
}

// Healed says that the safety phase is over: every fault that was in force has ended,
// and every machine runs.
type Healed struct{}

func (FaultStruck) event() {}
func (Healed) event()      {}
