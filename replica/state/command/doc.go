// Package command is pure: the commands that stand in the log, and what each does to
// the rows.
//
// The master makes a command and proposes it; every replica applies it at its place in
// the log. Apply is a function of the rows and of the command's bytes. It reads no
// clock and no memory of the master, and does not know which replica runs it. It returns
// the consequences of a command outside the rows as effects, which are data: each replica
// computes them, and only the master acts on them.
//
// Reading order: command.go and node_op.go (the kinds), apply.go (the order of tests);
// how they are executed: op.go (user rows), node_command.go, open_node.go,
// read_node_op.go (nodes and their locks), upkeep.go (what the master proposes for
// itself); effect.go, footprint.go, touches.go (paths in caches), read.go, check.go, audit.go;
// restore.go (rows of a backup); then the bytes: codec.go, node_op_codec.go, known.go.
//
// # The order of tests
//
// A command is tested in this order. The first test that fails decides the result, and
// then no row changes except the command counter, which counts every command. For a
// call of a session, Call or NodeCommand:
//
//	1 the bytes are a command                        else Invalid; see CheckKnown
//	2 it keeps its limits (check.go)                 else Invalid, TooLarge
//	3 its session is alive                           else NoSession
//	4 its Seq is above the session's AckedThrough    else Stale
//	5 its (session, Seq) has no answer yet           else that answer, again
//	6 its guard is the present epoch                 else Aborted
//	7 executed: AckedThrough is raised, the operation executed, the answer kept
//
// and for OpenSession, which has no session yet:
//
//	1, 2 as above
//	3 its principal has no live session opened       else OK with that session
//	  with its nonce
//	4 its guard is the present epoch                 else Aborted
//	5 there are fewer than rows.GetMaxSessions says  else Busy
//	6 executed: the session is opened; its id is the number of the command
//
// A command that the master proposes for itself has test 6 of a call after 1 and 2, and
// then the tests that command.go names. Epoch and Checksum have 1 and 2 only.
//
// Why this order:
//
//   - 2 is tested here although the master did: the log outlives the master, and a row
//     of 5 GiB that a faulty master proposed would stay for ever.
//   - 3 before 5: the answers of a session go with it. A second copy of an EndSession
//     finds no session. If an ended session could still be written to, a delayed Put
//     would land after its client was told that the session is over.
//   - 4 before 6 and 7: Put(seq 1) is executed, the client gets the answer and sends
//     AckedThrough 1 with its next call, which drops the answer. The network delivers a
//     duplicate of Put(seq 1): without 4 it would be executed again.
//   - 5 before 6: Put is executed in epoch 5, the answer is lost. The client sends it
//     again; the duplicate is received in epoch 5 but chosen after the command of epoch
//     6. Tested first, the guard would answer Aborted, "not executed", to a call that
//     was. So Aborted means: no copy received before the present epoch was or will be
//     executed; one received later may be.
//   - 6 leaves no answer: it would be repeated to the retry in the new epoch, and the
//     call could never be executed.
//   - 6 is tested here and not when proposing: a request must be aborted if mastership
//     was lost, or lost and regained, between its receipt and this place in the log
//     (P5.01, PML §5.3), and only this place in the log can tell.
//   - Only 7 raises AckedThrough: a refused command changes nothing but the counter.
//
// # Node commands
//
// A NodeCommand operates on a node: on its rows in the tree, on its lock, or on both in
// one transaction, so that all replicas see the same combination. Rights are looked up
// when a node is opened (C5.05), at this place of the log, whatever the master knew.
// Every other operation comes from a handle, whose rights the master checks.
//
//   - An Acquire that waits is attempted again and again, with one (session, Seq). A
//     failed attempt leaves no answer: the next one would be answered with it.
//   - So an attempt may stand in the log when its client gives up. CancelAcquire puts an
//     answer under the Acquire's own Seq. Attempts and duplicates behind it find that
//     answer and acquire nothing. If the Acquire was granted before, CancelAcquire releases
//     that acquisition.
//   - A handle that holds the lock is granted it again, with the same acquisition. So a
//     client sends an Acquire only after its Releases and CancelAcquires by that handle
//     are answered: behind the new Acquire in the log they would free the lock that the
//     client was just told it holds.
//   - A fence is tested here: a sequencer that was valid when the master looked may be
//     that of a former holder when the write is applied (CHU §2.4).
//   - Expire frees a session's locks and deletes its rows in one command, so later commands
//     of the session find no session.
//
// # Reads
//
// In the log, Get and List go through the same tests and leave an answer too, so a
// retried read is answered with the rows as they were where its first copy stood. A
// master with read authority answers them by Read, without the log: the same tests
// except the guard, and nothing is kept. ReadNode is the same for node commands.
package command
