package simtest_test

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/sim/event"
	"github.com/chubbycell/chubby/sim/scenario"
)

// once is a checker: no two programs may be told that they have counted to the same number.
type once struct{ counted map[string]event.CallEnded }

func (k *once) On(_ time.Duration, e event.Event) error {
	call, ok := e.(event.CallEnded)
	var n int
	if !ok || call.Err != nil {
		return nil
	}
	if _, err := fmt.Sscanf(call.Call, "count to %d", &n); err != nil {
		return nil // another call
	}
	if first, ok := k.counted[call.Call]; ok {
		return fmt.Errorf("%v and %v both counted to %d", first.Program, call.Program, n)
	}
	k.counted[call.Call] = call
	return nil
}

func (k *once) End() error { return nil }

// countedOnce is the property that the checker checks.
var countedOnce = scenario.Property{
	ID: "X1", Help: "no two programs count to one number",
	New: func() scenario.Checker { return &once{map[string]event.CallEnded{}} },
}
