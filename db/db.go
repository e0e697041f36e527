package db

import (
	"iter"

	"github.com/tidwall/btree"

	"github.com/chubbycell/chubby/internal/invariant"
)

// MaxRow bounds the bytes of key and value of one row. Callers enforce smaller limits where
// input enters; a larger row here breaks I-D4.
const MaxRow = 4 << 20

// DB holds the present rows. Make one with New or Load. One goroutine owns a DB; other goroutines
// may use its views.
type DB struct {
	current   View // shares tree nodes with views after View was called
	txn       Txn
	corrupted bool // Rot was called: I-D1 does not hold
}

// New returns a DB without rows.
func New() *DB {
	d := &DB{current: View{rows: new(btree.Map[string, string])}}
	d.txn.db = d
	return d
}

// Get returns the value of a row and whether it exists. It includes the changes of an open
// transaction, and so do Len, Bytes, Ascend and Scan.
func (d *DB) Get(key string) (value string, ok bool) { return d.current.Get(key) }

// Len returns the number of rows.
func (d *DB) Len() int { return d.current.Len() }

// Bytes returns the length of all keys and values together.
func (d *DB) Bytes() int64 { return d.current.Bytes() }

// Ascend iterates over the rows with from <= key < to in key order; to = "" means no upper
// bound. No row may change during the iteration (I-D3).
func (d *DB) Ascend(from, to string) iter.Seq2[string, string] {
	return d.trackIteration(d.current.Ascend(from, to))
}

// Scan iterates over the rows whose key begins with prefix, in key order. No row may change
// during the iteration (I-D3).
func (d *DB) Scan(prefix string) iter.Seq2[string, string] {
	return d.trackIteration(d.current.Scan(prefix))
}

// trackIteration counts the iterations under way, for I-D3.
func (d *DB) trackIteration(rows iter.Seq2[string, string]) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		d.txn.iterating++
		defer func() { d.txn.iterating-- }()
		rows(yield)
	}
}

// Begin starts a transaction. The last one must have ended with Commit or Rollback (I-D2). The
// Txn belongs to the DB and is reused by the next Begin.
func (d *DB) Begin() *Txn {
	if d.txn.open {
		invariant.Failf("I-D2", "a transaction began inside a transaction of %d changes", len(d.txn.undo))
	}
	d.txn.open = true
	return &d.txn
}

// View returns a frozen view of all rows, in constant time and memory. Later writes copy each
// tree node that they change, once. View must not be called inside a transaction (I-D2).
func (d *DB) View() View {
	d.checkNoTxn("View was called")
	v := d.current
	v.rows = d.current.rows.IsoCopy()
	return v
}

// Checksum returns the checksum of all rows, in constant time. It must not be called inside a
// transaction (I-D2). Under invariant.Deep it also calls Verify.
func (d *DB) Checksum() Sum {
	d.checkNoTxn("Checksum was called")
	if invariant.Deep && !d.corrupted {
		d.Verify()
	}
	return d.current.sum
}

// Verify recomputes the checksum from the rows and compares it with the maintained one. A
// difference breaks I-D1: memory was changed by something other than a transaction. It reads
// all rows.
func (d *DB) Verify() {
	if got := d.current.Recompute(); got != d.current.sum {
		invariant.Failf("I-D1", "%d rows have checksum %v, the maintained one is %v", d.Len(), got, d.current.sum)
	}
}

// Rot changes a row without updating the checksum, as failing memory does. It is a fault
// injection for tests and simulators.
func (d *DB) Rot(key, value string) {
	d.current.rows.Set(key, value)
	d.corrupted = true
}

func (d *DB) checkNoTxn(what string) {
	if d.txn.open {
		invariant.Failf("I-D2", "%s inside a transaction of %d changes", what, len(d.txn.undo))
	}
}

// set is the only function that adds or replaces a row, and drop the only one that removes one.
func (d *DB) set(key, value string) (old string, had bool) {
	if len(key)+len(value) > MaxRow {
		invariant.Failf("I-D4", "a row of %d+%d bytes", len(key), len(value))
	}
	d.checkNoIteration(key)
	old, had = d.current.rows.Set(key, value)
	if had {
		d.current.removeRow(key, old)
	}
	d.current.addRow(key, value)
	return old, had
}

func (d *DB) drop(key string) (old string, had bool) {
	d.checkNoIteration(key)
	old, had = d.current.rows.Delete(key)
	if had {
		d.current.removeRow(key, old)
	}
	return old, had
}

func (d *DB) checkNoIteration(key string) {
	if d.txn.iterating != 0 {
		invariant.Failf("I-D3", "row %q changes under %d iterations", key, d.txn.iterating)
	}
}
