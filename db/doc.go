// Package db is pure: it holds the rows that all replicas of a cell agree on.
//
// A DB is an ordered map from string keys to string values (any bytes) on a
// copy-on-write B-tree. Its owner changes it in one transaction at a time, which can be
// rolled back; other goroutines read views. It maintains a checksum of all rows, which
// replicas compare to detect divergence. A view can be written to a stream, and a stream
// can be loaded, for snapshots. Package db waits for nothing, reads no clock, and gives
// rows no meaning: replica/state/rows and the packages above it do.
//
// # Reading order
//
//	db.go       DB: the present rows, and the way to transactions and views
//	txn.go      Txn: changes that can be undone, and the list of changed keys
//	multiop.go  MultiOp: guards, then-list, else-list (PML §5.6; P8.01-P8.05)
//	view.go     View: all rows at one point in time, taken in constant time
//	sum.go      Sum: the checksum of all rows, maintained row by row
//	sumscan.go  SumScan: recomputing the checksum a few rows at a time
//	stream.go   writing a view to a stream, and the layout of that stream
//	load.go     reading a stream
//
// # Concurrency
//
// One goroutine owns a DB and its Txn. A View is frozen: any number of goroutines may
// read it while the owner continues to write, because the tree copies a node before it
// changes one that a view can reach.
//
// # The checksum
//
// Each row has two 64-bit hashes. The checksum is their sum modulo 2^64 in two lanes, so a
// write costs two row hashes however large the database is, and the order of writes does not
// matter. Two replicas that applied the same slots have equal sums, and a difference proves
// divergence (PML §6.2). A checksum that is only updated cannot detect rows that changed in
// memory. Recompute and SumScan therefore read all rows, and so does writing a stream, which
// fails with ErrChanged. Under invariant.Deep, Checksum compares the two on each call.
//
// # Invariants
//
//	I-D1  delta  the maintained checksum is the checksum of the rows
//	I-D2  state  one transaction at a time; no view and no checksum inside one
//	I-D3  state  no row changes during an iteration
//	I-D4  state  no row is larger than MaxRow, so a written stream can be loaded
package db
