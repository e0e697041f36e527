package db

import (
	"iter"

	"github.com/tidwall/btree"

	"github.com/chubbycell/chubby/internal/invariant"
)

// MaxRow bounds the bytes of key and value of one row. Callers check their own,
// smaller limits where input comes in; a larger row here is a broken promise.
const MaxRow = 4 << 20

// DB holds the present rows. Make one with New or Load. It is owned by one
// goroutine; views of it are not.
type DB struct {
	now View // shares its tree with nobody until View is called
	txn Txn
	rot bool // Rot was called: I-D1 does not hold
}

// New returns a DB without rows.
func New() *DB {
	d := &DB{now: View{rows: new(btree.Map[string, string])}}
	d.txn.db = d
	return d
}

// Get returns the value of a row and whether there is one.
func (d *DB) Get(key string) (value string, ok bool) { return d.now.Get(key) }

// Len counts the rows.
func (d *DB) Len() int { return d.now.Len() }

// Bytes is the length of all keys and values together.
func (d *DB) Bytes() int64 { return d.now.Bytes() }

// Ascend iterates over the rows with from <= key < to in key order; to = ""
// means to the end. No row may change before the iteration is over.
func (d *DB) Ascend(from, to string) iter.Seq2[string, string] {
	return d.guarded(d.now.Ascend(from, to))
}

// Scan iterates over the rows whose key begins with prefix, in key order. No
// row may change before the iteration is over.
func (d *DB) Scan(prefix string) iter.Seq2[string, string] {
	return d.guarded(d.now.Scan(prefix))
}

// guarded counts the iterations under way, for I-D3.
func (d *DB) guarded(rows iter.Seq2[string, string]) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		d.txn.iterating++
		defer func() { d.txn.iterating-- }()
		rows(yield)
	}
}

// Begin starts the transaction. The one before must have ended by Commit or
// Rollback (I-D2). The Txn belongs to the DB and is used again by the next
// Begin.
func (d *DB) Begin() *Txn {
	if d.txn.open {
		invariant.Failf("I-D2", "a transaction began inside a transaction of %d changes", len(d.txn.undo))
	}
	d.txn.open = true
	return &d.txn
}

// View freezes all rows as they are, in constant time and memory. Later writes
// copy the tree nodes they touch, each once. It must not be called inside a
// transaction (I-D2).
func (d *DB) View() View {
	d.outside("a view was taken")
	v := d.now
	v.rows = d.now.rows.IsoCopy()
	return v
}

// Checksum returns the checksum of all rows, in constant time. It must not be
// called inside a transaction (I-D2). Under invariant.Deep it is compared with
// the rows themselves (I-D1).
func (d *DB) Checksum() Sum {
	d.outside("the checksum was asked for")
	if invariant.Deep && !d.rot {
		d.Verify()
	}
	return d.now.sum
}

// Verify computes the checksum from the rows and compares it with the one that
// was kept up to date. A difference is a broken invariant (I-D1): memory was
// changed by something that is not a transaction. It walks all rows.
func (d *DB) Verify() {
	if got := d.now.Recompute(); got != d.now.sum {
		invariant.Failf("I-D1", "%d rows have checksum %v, %v was kept", d.Len(), got, d.now.sum)
	}
}

// Rot sets a row behind the back of transactions and of the checksum, as memory that
// changes by itself does. It is a fault, for tests and simulators.
func (d *DB) Rot(key, value string) {
	d.now.rows.Set(key, value)
	d.rot = true
}

func (d *DB) outside(what string) {
	if d.txn.open {
		invariant.Failf("I-D2", "%s inside a transaction of %d changes", what, len(d.txn.undo))
	}
}

// set is the only way a row comes in, drop the only way one goes out.
func (d *DB) set(key, value string) (old string, had bool) {
	if len(key)+len(value) > MaxRow {
		invariant.Failf("I-D4", "a row of %d+%d bytes", len(key), len(value))
	}
	d.still(key)
	old, had = d.now.rows.Set(key, value)
	if had {
		d.now.forget(key, old)
	}
	d.now.count(key, value)
	return old, had
}

func (d *DB) drop(key string) (old string, had bool) {
	d.still(key)
	old, had = d.now.rows.Delete(key)
	if had {
		d.now.forget(key, old)
	}
	return old, had
}

func (d *DB) still(key string) {
	if d.txn.iterating != 0 {
		invariant.Failf("I-D3", "row %q changes under %d iterations", key, d.txn.iterating)
	}
}
