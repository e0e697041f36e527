// Package crowd is test support: very many sessions of one cell that do nothing but stay
// alive, for the measurement of what KeepAlives cost.
//
// Reading order: options.go, clients.go (the machine of all sessions), wheel.go (its
// timers), bundle.go (what it sends), counts.go. Package sim/cell puts a crowd into a cell.
package crowd
