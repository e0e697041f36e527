// Package lockwait is test support: conformance of the lock wait queue. Our master grants a
// lock to waiting Acquires in the order in which they came, with neighbouring readers
// together, and wakes the front of the queue at once. A correct other implementation may do
// otherwise.
//
// Reading order: checker.go, freeing.go, waiting.go.
package lockwait
