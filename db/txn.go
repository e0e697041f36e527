package db

import (
	"iter"

	"github.com/chubbycell/chubby/internal/invariant"
)

// Txn is the open transaction of a DB. Its changes are visible in the DB at once, and Rollback
// undoes them. It comes from DB.Begin and must not be used after Commit or Rollback.
type Txn struct {
	db        *DB
	open      bool
	undo      []change
	iterating int
}

// change is the state of a row before one write.
type change struct {
	key, old string
	had      bool
}

// Get returns the value of a row and whether it exists, including the changes of this
// transaction.
func (t *Txn) Get(key string) (value string, ok bool) { return t.db.current.Get(key) }

// Ascend is DB.Ascend, including the changes of this transaction.
func (t *Txn) Ascend(from, to string) iter.Seq2[string, string] { return t.db.Ascend(from, to) }

// Scan is DB.Scan, including the changes of this transaction.
func (t *Txn) Scan(prefix string) iter.Seq2[string, string] { return t.db.Scan(prefix) }

// Put inserts or replaces a row, and returns its last value.
func (t *Txn) Put(key, value string) (old string, had bool) {
	t.checkOpen()
	old, had = t.db.set(key, value)
	t.undo = append(t.undo, change{key, old, had})
	return old, had
}

// Delete removes a row if it exists, and returns its last value.
func (t *Txn) Delete(key string) (old string, had bool) {
	t.checkOpen()
	old, had = t.db.drop(key)
	if had {
		t.undo = append(t.undo, change{key, old, had})
	}
	return old, had
}

// DeleteAll removes all rows whose key begins with prefix, and returns their number.
func (t *Txn) DeleteAll(prefix string) int {
	var keys []string
	for key := range t.Scan(prefix) {
		keys = append(keys, key)
	}
	for _, key := range keys {
		t.Delete(key)
	}
	return len(keys)
}

// Mark is a point in a transaction, for RollbackTo and Changed.
type Mark int

// Mark returns the present point.
func (t *Txn) Mark() Mark { return Mark(len(t.undo)) }

// RollbackTo undoes all changes made after the mark, the last one first.
func (t *Txn) RollbackTo(m Mark) {
	t.checkOpen()
	for i := len(t.undo) - 1; i >= int(m); i-- {
		t.restore(t.undo[i])
	}
	t.undo = t.undo[:m]
}

func (t *Txn) restore(c change) {
	if c.had {
		t.db.set(c.key, c.old)
	} else {
		t.db.drop(c.key)
	}
}

// Changed iterates over the keys written since the mark, in the order of the writes; a key
// written twice appears twice.
func (t *Txn) Changed(since Mark) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range t.undo[since:] {
			if !yield(c.key) {
				return
			}
		}
	}
}

// Commit makes all changes final and ends the transaction.
func (t *Txn) Commit() {
	t.checkOpen()
	t.end()
}

// Rollback undoes all changes and ends the transaction.
func (t *Txn) Rollback() {
	t.RollbackTo(0)
	t.end()
}

// maxUndoKept bounds the memory that one large transaction leaves allocated.
const maxUndoKept = 1024

func (t *Txn) end() {
	t.open = false
	clear(t.undo) // so that the old values can be collected
	t.undo = t.undo[:0]
	if cap(t.undo) > maxUndoKept {
		t.undo = nil
	}
}

func (t *Txn) checkOpen() {
	if !t.open {
		invariant.Failf("I-D2", "a transaction was used after its end")
	}
}
