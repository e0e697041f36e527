package db

import (
	"iter"

	"github.com/chubbycell/chubby/internal/invariant"
)

// Txn is the open transaction of a DB: its changes are in the rows at once, and
// Rollback takes them back. It comes from DB.Begin, and is dead after Commit or
// Rollback.
type Txn struct {
	db        *DB
	open      bool
	undo      []change
	iterating int
}

// change is what a row was before one write.
type change struct {
	key, old string
	had      bool
}

// Get returns the value of a row, with the changes of this transaction.
func (t *Txn) Get(key string) (value string, ok bool) { return t.db.now.Get(key) }

// Ascend is DB.Ascend, with the changes of this transaction.
func (t *Txn) Ascend(from, to string) iter.Seq2[string, string] { return t.db.Ascend(from, to) }

// Scan is DB.Scan, with the changes of this transaction.
func (t *Txn) Scan(prefix string) iter.Seq2[string, string] { return t.db.Scan(prefix) }

// Put inserts or replaces a row, and returns what stood there.
func (t *Txn) Put(key, value string) (old string, had bool) {
	t.alive()
	old, had = t.db.set(key, value)
	t.undo = append(t.undo, change{key, old, had})
	return old, had
}

// Delete takes a row away, and returns what stood there.
func (t *Txn) Delete(key string) (old string, had bool) {
	t.alive()
	old, had = t.db.drop(key)
	if had {
		t.undo = append(t.undo, change{key, old, had})
	}
	return old, had
}

// DeleteAll takes all rows away whose key begins with prefix, and counts them.
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

// Mark names the present point of the transaction, for RollbackTo and Changed.
type Mark int

// Mark returns the present point.
func (t *Txn) Mark() Mark { return Mark(len(t.undo)) }

// RollbackTo takes back all changes made after the mark, the last one first.
func (t *Txn) RollbackTo(m Mark) {
	t.alive()
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

// Changed iterates over the keys written since the mark, in the order of the
// writes; a key written twice comes twice.
func (t *Txn) Changed(since Mark) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range t.undo[since:] {
			if !yield(c.key) {
				return
			}
		}
	}
}

// Commit keeps all changes and ends the transaction.
func (t *Txn) Commit() {
	t.alive()
	t.end()
}

// Rollback takes all changes back and ends the transaction.
func (t *Txn) Rollback() {
	t.RollbackTo(0)
	t.end()
}

// keepUndo bounds the memory that one large transaction leaves behind.
const keepUndo = 1024

func (t *Txn) end() {
	t.open = false
	clear(t.undo) // lets go of the old values
	t.undo = t.undo[:0]
	if cap(t.undo) > keepUndo {
		t.undo = nil
	}
}

func (t *Txn) alive() {
	if !t.open {
		invariant.Failf("I-D2", "a transaction was used after its end")
	}
}
