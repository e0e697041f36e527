// Package events is test support: it checks that clients hear of what happens to the nodes that
// they watch (S13).
//
// What has happened it knows from the commands of the log as they are first applied. What a
// program hears it is told by the program: that a handle is open with a mask of events, each event
// that the program takes, and what a read finds after one. Checker knows nothing of masters, queues and
// KeepAlives.
//
// # What is checked
//
//	after the fact    an event names a command that was applied, and that did this to the node
//	in order          the causes of the events of one handle never go down, and what a command did
//	                  to the node is not told in front of what an earlier one did and was not told;
//	                  only that the node was deleted may come in front of "read again"
//	once              the same event of the same command comes once to a handle
//	asked for         only kinds that the handle asked for
//	a read finds it   contents that are read after an event are those it told of, or newer
//	a holder is told  a lock is wanted of a handle that has held it
//	none is lost      each change after the Open is told: by an event of the same kind, child and
//	                  change whose cause is not below, or by "read again". After healing this must
//	                  come true while the session lives; before, an event may be under way for as
//	                  long as faults keep it
//
// Wanted checks what the Checker cannot know from a program: while an Acquire waits, each holder in whose
// way it is, and which asked for that, is told at once that its lock is wanted, or to read again. It sees
// requests that come to the master and answers that leave it, and knows from the log who holds what.
//
//	told of none      an answer to a KeepAlive without any event, a second after the Acquire began to
//	                  wait, says that nothing is to be told
//	held back         a master that has a KeepAlive to answer, and read authority, is silent for a second
//
// A master owes this to handles that it gave out or that were presented to it. What a client does with the
// event when it has it, and for how long faults keep it, is not asked here.
//
// A program that reads again after each event therefore knows the last state of all that it
// watches.
//
// Reading order: checker.go (what happened), watch.go (what a handle has heard), wanted.go.
package events
