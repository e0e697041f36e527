// Package locks is test support: it computes from the log which locks are held, and checks
// what follows from that.
//
// Model (model.go) tells which handle holds which lock, from the commands in log order and their
// answers. At the end it judges exclusion, lock-delays and generations (S8, S9). inherited.go
// has the lock-delays that a new master runs again; delays.go those of one master, by its
// clock. Sequencers (sequencers.go) compares with the Model what is answered about sequencers,
// and what handles do that are tied to one (S10).
package locks
