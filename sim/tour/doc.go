// Package tour is test support: a tour through what goes wrong in a cell, and what the shipped code does about it.
//
// A Scene is a script: a small cell, what its client programs do, and what is done to machines,
// links and clocks at which time. Play runs it in the simulator and tells it in a few lines. Every
// line is an event of that run, with true time and the reading of the clock of its machine; the scene says
// only which events are worth a line. Three questions stand in front of it, and their answers behind.
//
// Reading order: scene.go, script.go, play.go; then the scenes: votes.go, leases.go, sessions.go,
// disks.go.
package tour
