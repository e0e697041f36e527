package client

import "time"

// SetNow makes now the clock of a Runtime that is not in use yet, for tests of machines that are suspended.
func (g *Goroutines) SetNow(now func() time.Time) { g.now = now }
