package linearizability_test

import (
	"fmt"

	lin "github.com/chubbycell/chubby/linearizability"
)

// A resource that checks tokens on writes alone lets the old holder write while
// the new one has only read. There are two findings, and it prevents neither.
func ExampleCheckFencing() {
	for _, f := range lin.CheckFencing([]lin.Access{
		{At: 1e9, Client: 1, Token: 33, Accepted: true},                                   // client 1 reads, and is delayed
		{At: 4e9, Client: 2, Token: 34, Accepted: true},                                   // client 2 has the lock now, and reads
		{At: 5e9, Client: 1, Token: 33, Write: true, Version: 1, Base: 0, Accepted: true}, // no write had a higher token
		{At: 6e9, Client: 2, Token: 34, Write: true, Version: 2, Base: 0, Accepted: true},
	}) {
		fmt.Printf("%s, events %v: %s\n", f.Kind, f.Events, f.Text)
	}
	// Output:
	// write below a read, events [1 2]: a token below one that was accepted before:
	//   client 2 read with token 34 at 4.000000s
	//   client 1 wrote version 1, made from 0, with token 33 at 5.000000s
	// lost update, events [2 3]: an update is lost:
	//   client 1 wrote version 1, made from 0, with token 33 at 5.000000s
	//   client 2 wrote version 2, made from 0, with token 34 at 6.000000s, without having read it
}
