// Package lockwait is test support: conformance of the lock wait queue. Our master lets
// Acquires have a lock in the order in which they came, readers beside readers, and wakes
// the front at once; a correct other implementation may do otherwise. Reading order:
// checker.go, freeing.go, waiting.go.
package lockwait
