// Package frail is synchronous: file systems that fail on purpose, over one that does not.
// chubby torture runs servers on them.
//
//	Volatile  keeps all that was not synced in memory: a process that is killed loses it, as a
//	          machine does that loses power
//	Fillable  is full while it is told so
//
// Reading order: volatile.go (names), node.go (contents), fillable.go.
package frail
