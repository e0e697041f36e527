// Package command is pure: what stands in the log, and what it does to the rows.
//
// A command is made by the master, put into the log, and applied by every
// replica at its place in the log. Apply is a function of the rows and the bytes
// and of nothing else: no clock, no memory of the master, no knowledge of who
// applies. What follows from a command outside the rows comes back as effects,
// which are data: every replica computes them, only the master acts on them.
//
// Reading order: command.go and deed.go (the kinds), apply.go (the order of tests);
// what is done: op.go (user rows), act.go, open_node.go, inspect.go (nodes and their
// locks), upkeep.go (what the master asks for itself); effect.go, touches.go,
// read.go, check.go, audit.go; restore.go (rows of a backup); then the bytes: codec.go, deed_codec.go.
//
// # The order of tests
//
// A command is judged by these tests in this order; the first that fails decides,
// and then no row changes except the command counter, which counts every command.
// For a call of a session, Call or Act:
//
//	1 the bytes are a command                        else Invalid
//	2 its limits are kept (check.go)                 else Invalid, TooLarge
//	3 its session is alive                           else NoSession
//	4 its Seq is above what the client has seen      else Stale
//	5 its (session, Seq) has no answer yet           else that answer, again
//	6 its guard is the present epoch                 else Aborted
//	7 executed: Seen is raised, the operation done, the answer kept
//
// and for OpenSession, which has no session yet:
//
//	1, 2 as above
//	3 its principal has no session that is alive by  else OK with that session
//	  its nonce
//	4 its guard is the present epoch                 else Aborted
//	5 there are fewer than rows.GetMaxSessions says  else Busy
//	6 executed: the session is opened; its id is the number of the command
//
// What the master asks for itself has test 6 of a call after 1 and 2, and then what
// command.go says of it. Epoch and Checksum have 1 and 2 only.
//
// Why this order:
//
//   - 2 is tested here although the master did: the log outlives the master,
//     and the row of 5 GiB that a faulty one proposed would stay for ever.
//   - 3 before 5: the answers of a session go with it. An EndSession that comes
//     again finds no session; if an ended session could still be written to, a
//     delayed Put would land after its client was told that all is over.
//   - 4 before 6 and 7: Put(seq 1) is executed, the client sees the answer and
//     says Seen 1 with its next call, which drops the answer. The network
//     delivers a copy of Put(seq 1): without 4 it would be executed again.
//   - 5 before 6: Put is executed in epoch 5, the answer is lost. The client sends
//     it again; the copy is received in epoch 5 but chosen after the command of
//     epoch 6. Tested first, the guard would answer Aborted, "not executed", to a
//     call that was. So Aborted means: no copy received before the present
//     epoch was or will be executed; one received later may be.
//   - 6 leaves no answer: one would be repeated to the retry in the new epoch,
//     and the call could never be executed.
//   - 6 is tested here and not when proposing: a request must be aborted if
//     mastership was lost, or lost and regained, between its receipt and this
//     place in the log (P5.01, PML §5.3), and only this place knows.
//   - Seen is raised by 7 alone: a refused command changes nothing.
//
// # Acts
//
// An Act does something to a node: of the tree, its lock, or both at once, so that
// what one replica sees of them is what all see. Rights are looked up where a node
// is opened (C5.05), at this place of the log, whatever the master knew; all other
// deeds come from a handle, whose rights the master looks at.
//
//   - An Acquire that waits is tried again and again, with one (session, Seq). A
//     trial that fails leaves no answer, or the next one would be answered by it.
//   - So a trial may stand in the log when its client gives up. CancelAcquire puts
//     an answer under the Acquire's own Seq: trials and copies behind it find that,
//     and hold nothing; a grant above it is released.
//   - A handle that holds the lock is granted it again, by the same acquisition. So
//     a client sends an Acquire only when its Releases and CancelAcquires of that
//     handle are answered: behind the new one in the log they would free what it
//     was just told that it holds.
//   - A fence is tested here: a sequencer that was valid when the master looked may
//     be that of a former holder when the write is applied (CHU §2.4).
//   - Expire frees a session's locks and takes its rows in one command: nothing of
//     the session that stands below it in the log finds a session.
//
// # Reads
//
// In the log, Get and List go through the same tests and leave an answer too, so a
// retried read is answered with the rows as they were where its first copy stood.
// A master with read authority answers them by Read, without the log: the same
// tests but for the guard, and nothing is left behind. ReadAct is the same for acts.
package command
