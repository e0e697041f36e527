// Package events is test support: it checks that clients are told what happens to the nodes
// that they watch (S13).
//
// The checker knows what happened from the commands of the log, as they are first applied. It
// knows what a program was told from the program itself: a handle is open with a mask of events,
// the program takes an event, a read after an event finds something. It knows nothing of
// masters, queues and KeepAlives.
//
// # What is checked
//
//	after the fact    an event names a command that was applied, and that did this to the node
//	in order          the causes of the events of one handle never go down; an event does not
//	                  come before that of an earlier command which the handle is still owed,
//	                  except that the node's deletion may come before "read again"
//	once              the same event of the same command comes once to a handle
//	asked for         a handle gets only kinds that it asked for
//	a read finds it   contents that are read after an event are those it told of, or newer
//	a holder is told  "lock wanted" goes only to a handle that has held the lock
//	none is lost      each change after the Open is told: by an event of the same kind, child and
//	                  change with the same or a later cause, or by "read again". After healing
//	                  this must come true while the session lives; before, faults may delay an
//	                  event without bound
//
// Wanted checks what Checker cannot learn from a program. While an Acquire waits, each holder of
// the lock in a conflicting mode that asked for the event must at once be told "lock wanted" or
// "read again". Wanted sees requests that reach the master and answers that leave it, and knows
// from the log which handles hold locks. It reports two faults:
//
//	told of none      an answer to a KeepAlive without any event, a second after the Acquire began to
//	                  wait, says that nothing is to be told
//	held back         a master with read authority does not answer a pending KeepAlive for a second
//
// A master owes this to handles that it gave out or that were presented to it. What a client
// does with the event, and how long faults delay it, is not checked here.
//
// These rules together mean that a program which reads again after each event knows the last
// state of all that it watches.
//
// Reading order: checker.go (what happened), watch.go (what a handle has heard), wanted.go.
package events
