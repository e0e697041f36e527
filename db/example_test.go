package db_test

import (
	"fmt"

	"github.com/chubbycell/chubby/db"
)

// A write on the condition that the master has not changed since the client learned its epoch:
// the epoch is one more guard (PML §5.6).
func ExampleTxn_MultiOp() {
	rows := db.New()
	t := rows.Begin()
	t.Put("epoch", "7")
	t.Commit()

	for _, epoch := range []string{"6", "7"} {
		t := rows.Begin()
		r, err := t.MultiOp(db.MultiOp{
			Guards: []db.Guard{
				{Test: db.Equal, Key: "epoch", Value: epoch},
				{Test: db.Absent, Key: "/ls/cell/leader"},
			},
			Then: []db.Op{{Kind: db.Insert, Key: "/ls/cell/leader", Value: "node 3"}},
			Else: []db.Op{{Kind: db.Lookup, Key: "/ls/cell/leader"}},
		})
		t.Commit()
		fmt.Println(r.Guards, r.Held, err)
	}
	// Output:
	// [false true] false <nil>
	// [true true] true <nil>
}

// A view is not changed by writes after it was taken.
func ExampleDB_View() {
	rows := db.New()
	t := rows.Begin()
	t.Put("a", "1")
	t.Commit()
	v := rows.View()
	t = rows.Begin()
	t.Put("a", "2")
	t.Commit()
	before, _ := v.Get("a")
	now, _ := rows.Get("a")
	fmt.Println(before, now)
	// Output: 1 2
}
