package db

import "fmt"

// Test is what a guard asks of its row.
type Test uint8

// The four tests (P8.03). NotEqual is the opposite of Equal, so it holds where
// there is no row.
const (
	Absent   Test = iota + 1 // there is no such row
	Present                  // there is such a row
	Equal                    // there is such a row, with this value
	NotEqual                 // there is no such row, or it has another value
)

// Guard is a test of a single row.
type Guard struct {
	Test  Test
	Key   string
	Value string // for Equal and NotEqual
}

// Kind says what an operation does to its row.
type Kind uint8

// The operations (P8.04): insert, delete and lookup, the first two each in a
// form that cannot fail and one that can.
const (
	Lookup Kind = iota + 1 // read the row
	Put                    // insert or replace the row
	Insert                 // insert the row; ErrExists if there is one
	Delete                 // take the row away, if there is one
	Remove                 // take the row away; ErrMissing if there is none
)

// Op is one operation on a single row.
type Op struct {
	Kind  Kind
	Key   string
	Value string // for Put and Insert
}

// MultiOp is what happens in one step: if all guards hold, the list Then runs,
// else the list Else (P8.02-P8.04). A row may appear any number of times.
type MultiOp struct {
	Guards []Guard
	Then   []Op
	Else   []Op
}

// OpResult is the row as the operation found it.
type OpResult struct {
	Found bool
	Value string
}

// Result is the outcome of a MultiOp.
type Result struct {
	Held   bool       // all guards held: Then ran
	Guards []bool     // one for each guard
	Ops    []OpResult // one for each operation of the list that ran
}

// MultiOp evaluates all guards on the rows as they are, before any operation,
// then runs one list in order: each operation sees the ones before it. If an
// operation fails, the whole list has no effect, and the error is an *OpError;
// the Result then still tells the guards.
func (t *Txn) MultiOp(m MultiOp) (Result, error) {
	r := Result{Held: true, Guards: make([]bool, len(m.Guards))}
	for i, g := range m.Guards {
		r.Guards[i] = t.holds(g)
		r.Held = r.Held && r.Guards[i]
	}
	list := m.Then
	if !r.Held {
		list = m.Else
	}
	ops, err := t.run(list)
	r.Ops = ops
	return r, err
}

func (t *Txn) holds(g Guard) bool {
	value, ok := t.Get(g.Key)
	switch g.Test {
	case Absent:
		return !ok
	case Present:
		return ok
	case Equal:
		return ok && value == g.Value
	case NotEqual:
		return !ok || value != g.Value
	}
	return false // a test that nobody knows holds nowhere
}

func (t *Txn) run(list []Op) ([]OpResult, error) {
	mark := t.Mark()
	results := make([]OpResult, len(list))
	for i, op := range list {
		r, err := t.do(op)
		if err != nil {
			t.RollbackTo(mark)
			return nil, &OpError{Index: i, Op: op, Err: err}
		}
		results[i] = r
	}
	return results, nil
}

func (t *Txn) do(op Op) (OpResult, error) {
	old, had := t.Get(op.Key)
	r := OpResult{Found: had, Value: old}
	switch op.Kind {
	case Lookup:
		return r, nil
	case Insert:
		if had {
			return r, ErrExists
		}
		t.Put(op.Key, op.Value)
		return r, nil
	case Put:
		t.Put(op.Key, op.Value)
		return r, nil
	case Remove:
		if !had {
			return r, ErrMissing
		}
		t.Delete(op.Key)
		return r, nil
	case Delete:
		t.Delete(op.Key)
		return r, nil
	}
	return r, fmt.Errorf("db: no operation has number %d", op.Kind)
}

// String names the operation.
func (k Kind) String() string {
	switch k {
	case Lookup:
		return "lookup"
	case Put:
		return "put"
	case Insert:
		return "insert"
	case Delete:
		return "delete"
	case Remove:
		return "remove"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}
