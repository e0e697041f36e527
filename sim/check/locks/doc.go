// Package locks is test support: which locks are held, by the log, and what follows from it.
//
// Model (model.go) says which handle holds which lock, from the commands in the order of the
// log and their answers, and judges exclusion, lock-delays and generations at the end (S8,
// S9). inherited.go has the lock-delays that a new master runs again; delays.go those of one
// master, by its clock. Sequencers (sequencers.go) compares what is said of sequencers, and
// done by handles that are tied to one, with the Model (S10).
package locks
