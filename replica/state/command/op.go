package command

import (
	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// applyOp executes an operation on the user rows. The conditional one is a MultiOp: its
// guard is evaluated when it is applied, on the rows as they are at this place of the log
// (P8.03).
func applyOp(tx *db.Txn, op api.Op) (api.Result, []Effect) {
	switch op := op.(type) {
	case api.Get:
		return get(tx, op), nil
	case api.Put:
		tx.Put(rows.UserRow(op.Key, op.Value))
		return api.Result{Code: api.OK}, rowChanged(op.Key)
	case api.Delete:
		return remove(tx, op)
	case api.CompareAndSet:
		return compareAndSet(tx, op)
	case api.List:
		return list(tx, op), nil
	}
	return api.Result{Code: api.Invalid}, nil
}

func get(r rows.Reader, op api.Get) api.Result {
	value, ok := r.Get(rows.UserKey(op.Key))
	if !ok {
		return api.Result{Code: api.NotFound}
	}
	return api.Result{Code: api.OK, Found: true, Value: value}
}

func remove(tx *db.Txn, op api.Delete) (api.Result, []Effect) {
	if _, had := tx.Delete(rows.UserKey(op.Key)); !had {
		return api.Result{Code: api.NotFound}, nil
	}
	return api.Result{Code: api.OK}, rowChanged(op.Key)
}

func compareAndSet(tx *db.Txn, op api.CompareAndSet) (api.Result, []Effect) {
	key, value := rows.UserRow(op.Key, op.Value)
	guard := db.Guard{Test: db.Equal, Key: key, Value: op.Expect}
	if op.Absent {
		guard = db.Guard{Test: db.Absent, Key: key}
	}
	r, err := tx.MultiOp(db.MultiOp{
		Guards: []db.Guard{guard},
		Then:   []db.Op{{Kind: db.Put, Key: key, Value: value}},
		Else:   []db.Op{{Kind: db.Lookup, Key: key}},
	})
	if err != nil {
		return api.Result{Code: api.Invalid}, nil
	}
	if !r.Held {
		return api.Result{Code: api.Conflict, Found: r.Ops[0].Found, Value: r.Ops[0].Value}, nil
	}
	return api.Result{Code: api.OK}, rowChanged(op.Key)
}

// list stops as soon as the answer is too large, however many rows there are.
func list(r rows.Reader, op api.List) api.Result {
	var pairs []api.Pair
	size := 0
	for key, value := range r.Scan(rows.UserKey(op.Prefix)) {
		k, _ := rows.ParseKey(key)
		pairs = append(pairs, api.Pair{Key: k.Name, Value: value})
		size += len(k.Name) + len(value)
		if len(pairs) > api.MaxListPairs || size > api.MaxListBytes {
			return api.Result{Code: api.TooLarge}
		}
	}
	return api.Result{Code: api.OK, Pairs: pairs}
}

func rowChanged(key string) []Effect { return []Effect{RowChanged{Key: key}} }
