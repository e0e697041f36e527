// Package recipe is concurrent: common constructions from the locks, small files and events of
// package client, written once and without the usual traps.
//
//	recipe        promises                                    the trap that it avoids
//	Campaign      one leader, whose address is in the file    an address written without the lock
//	Observe       the leader's address, by events             a watcher of only some kinds of events
//	assert-held   no step after the lock may be lost          an assertion that is true in jeopardy
//	Fence         a former holder changes and sees nothing    a fence that checks only writes
//	Writer        each request carries its sequencer          a check of the lease, then a late request
//	Register      a name as long as the session lives         adopting the file of a former life
//	Watch         the members, by events of children          a watcher that keeps dead members alive
//	WatchConfig   the last good value of a file, by events    a bad file that replaces a good value
//	Semaphore     at most a given number of permits           a count in a file, which a crash spoils
//	Names         many names in few files                     one file per name; unconditional writes
//	Barrier       members begin together, and end together    a member that came and left unseen
//
// Assert-held is Lock.Err of package client before each step, and needs no function here.
//
// Each recipe blocks only through its Client and the Client's Runtime, so a program that uses it
// runs unchanged on goroutines and in the simulator. The tests run each recipe in the simulator, in
// cells whose machines fail. They also run the same program with the trap built in, and require
// that a checked property catches it. docs/recipes.md has the commands.
//
// # What all recipes leave to the program
//
// When the session expires, a recipe fails with client.ErrSessionExpired, as all calls of the Client
// do. The program makes a new Client and begins again.
//
// A program that leaves a loop over Observe, Watch or Names.Watch waits there until the cell has
// closed the handle, or the context ends. Give these functions a context that ends.
//
// A recipe works with one cell. Two locks in two cells are never acquired or lost together: a
// program that wants to lead in several cells campaigns in each, and may lead in only some of them.
// It acts on a resource only under the term of the cell that guards this resource. Give the files of
// these elections different paths, since a Fence does not tell the cells of sequencers apart;
// docs/recipes.md has the trap. One Client can call all cells (client.WithCell, which has an example).
//
// # Threads of control
//
//	thread             started by    waits for                 ends with
//	(of the caller)    the program   the cell, events          the call, or its context
//	config FILE        WatchConfig,  events of the file        Config.Close, or an error for good
//	                   Names.Lookup                            Names.Close
//	permit of FILE     Acquire       the lock of the file      the end of the Acquire
//
// # Reading order
//
//   - follow.go: read once, and again after each event
//   - election.go: Campaign, Term, Observe
//   - fence.go, writer.go: sequencers, at both ends of a request
//   - registry.go: Register, Registration, Watch
//   - config.go: WatchConfig, Config
//   - semaphore.go: Semaphore, Permit
//   - barrier.go: Barrier
//   - names.go: Names
package recipe
