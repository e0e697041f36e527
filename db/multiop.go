package db

import "fmt"

// Test is the condition of a guard.
type Test uint8

// The four tests (P8.03). NotEqual is the opposite of Equal, so it holds if the row does not
// exist.
const (
	Absent   Test = iota + 1 // the row does not exist
	Present                  // the row exists
	Equal                    // the row exists and has this value
	NotEqual                 // the row does not exist or has another value
)

// Guard tests a single row.
type Guard struct {
	Test  Test
	Key   string
	Value string // for Equal and NotEqual
}

// Kind is what an operation does to its row.
type Kind uint8

// The operations (P8.04): insert, delete and lookup, the first two each in a form that cannot
// fail and one that can.
const (
	Lookup Kind = iota + 1 // read the row
	Put                    // insert or replace the row
	Insert                 // insert the row; ErrExists if it exists
	Delete                 // remove the row if it exists
	Remove                 // remove the row; ErrMissing if it does not exist
)

// Op is one operation on a single row.
type Op struct {
	Kind  Kind
	Key   string
	Value string // for Put and Insert
}

// MultiOp is one atomic step: if all guards hold, the list Then runs, otherwise the list Else
// (P8.02-P8.04). A row may appear any number of times.
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
	Guards []bool     // one per guard
	Ops    []OpResult // one per operation of the list that ran
}

// MultiOp evaluates all guards before any operation, then runs one list in order: each
// operation sees the effects of those before it. If an operation fails, the whole list has no
// effect, the error is an *OpError, and the Result still holds the guards.
func (t *Txn) MultiOp(m MultiOp) (Result, error) {
	r := Result{Held: true, Guards: make([]bool, len(m.Guards))}
	for i, g := range m.Guards {
		r.Guards[i] = t.isSatisfied(g)
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

func (t *Txn) isSatisfied(g Guard) bool {
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
	return false // an unknown test never holds
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
	return r, fmt.Errorf("db: unknown operation kind %d", op.Kind)
}

// String returns the name of the operation.
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
