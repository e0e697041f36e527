// Package db is pure: the rows that all replicas of a cell agree on.
//
// A DB is an ordered map from string keys to string values (any bytes) on a
// copy-on-write B-tree. Its owner changes it through one transaction at a time;
// everybody else looks at views. Nothing here waits, reads a clock or knows what
// a row means: that is the business of replica/state/rows and what stands on it.
//
// # Reading order
//
//	db.go       DB: the present rows, and the door to transactions and views
//	txn.go      Txn: changes that can be taken back, and the list of what changed
//	multiop.go  MultiOp: guards, then-list, else-list (PML §5.6; P8.01-P8.05)
//	view.go     View: all rows at one point in time, made in constant time
//	sum.go      Sum: the checksum of all rows, kept up to date row by row
//	stream.go   writing a view to a stream, and the layout of that stream
//	load.go     reading one back
//
// # Who may call what
//
// One goroutine owns a DB and its Txn. A View is frozen: any number of
// goroutines may read it while the owner goes on writing, because the tree
// copies a node before it changes one that a view can reach.
//
// # The checksum
//
// Each row has two 64-bit hashes; the checksum is their sum modulo 2^64 in two
// lanes, so a write costs two row hashes however large the database is, and the
// order of writes leaves no trace in it. Two replicas that applied the same
// slots have equal sums, and a difference names a divergence (PML §6.2). A hash
// that is only updated cannot see rows that changed behind its back: Recompute
// walks all rows, and so does writing them to a stream, which refuses rows that
// changed (ErrChanged). Under invariant.Deep, Checksum compares the two on each
// call.
//
// # Invariants
//
//	I-D1  delta  the checksum kept row by row is the checksum of the rows
//	I-D2  state  one transaction at a time; no view and no write-out inside one
//	I-D3  state  no row changes under a running iteration
//	I-D4  state  no row is larger than MaxRow, so a written stream can be loaded
package db
