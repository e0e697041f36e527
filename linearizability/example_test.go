package linearizability_test

import (
	"fmt"
	"strings"

	lin "github.com/chubbycell/chubby/linearizability"
)

// A test records the calls of its clients and checks them at the end.
func Example() {
	rec := lin.NewRecorder[lin.KVInput, lin.KVOutput](4)
	a := rec.Call(1, 0, lin.Put("g/x", "old"))
	rec.OK(a, 0, lin.KVOutput{})
	b := rec.Call(1, 0, lin.Put("g/x", "new")) // its reply is lost
	rec.Unknown(b, 0)
	c := rec.Call(2, 0, lin.Get("g/x"))
	rec.OK(c, 0, lin.KVOutput{Found: true, Value: "new"})
	d := rec.Call(2, 0, lin.Get("g/x"))
	rec.OK(d, 0, lin.KVOutput{Found: true, Value: "old"})

	report, err := lin.CheckHistory(lin.KV(), rec.History(), lin.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(report.Explanation.Text)
	// Output:
	// Not linearizable: kv "g/x", 4 operations.
	// The first 2 completions have a legal order, the first 3 have none. The last of them:
	//   #3 client 2: get g/x -> "old" [called 6, returned 7]
	// cannot have had this result. Possible there: "new".
	// It contradicts:
	//   #2 client 2: get g/x -> "new" [called 4, returned 5]: returned before it was called
	//   #0 client 1: put g/x = "old" -> ok [called 1, returned 2]: returned before it was called
}

// A history of any system can be read from a file of JSON lines.
func ExampleCheckFile() {
	file := `
{"client":1,"call":1,"return":2,"input":{"op":"write","value":1}}
{"client":1,"call":3,"input":{"op":"write","value":2}}
{"client":2,"call":4,"return":5,"input":{"op":"cas","expect":2,"value":3},"output":{"ok":true}}
{"client":2,"call":6,"return":7,"input":{"op":"read"},"output":{"value":3}}
`
	report, err := lin.CheckFile(strings.NewReader(file), "register", lin.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(report.Text())
	// Output:
	// legal: model register, 4 operations of 2 clients (3 ok, 0 failed, 1 unknown)
	// search: legal, 1 partitions (1 legal, 0 illegal, 0 undecided), 4 steps
	//   legal     "": 4 operations, 1 unknown, 0 without bearing, 4 steps
}
