package linearizability_test

import (
	"fmt"

	lin "github.com/chubbycell/chubby/linearizability"
)

// queueInput is a call of a first-in, first-out queue: push, or pop when empty.
type queueInput struct{ push string }

// queueModel is a complete model: one function returns what a queue answers.
func queueModel() *lin.Model[string, queueInput, string] {
	m := lin.Deterministic(
		func() string { return "" },
		func(queue string, in queueInput) (string, string) {
			switch {
			case in.push != "":
				return queue + in.push, ""
			case queue == "":
				return queue, "empty"
			}
			return queue[1:], queue[:1]
		},
		func(_ queueInput, want, got string) bool { return want == got })
	m.Name = "queue"
	m.DescribeInput = func(in queueInput) string {
		if in.push == "" {
			return "pop"
		}
		return "push " + in.push
	}
	return &m
}

// A custom model is a function from state and input to state and output.
func ExampleDeterministic() {
	rec := lin.NewRecorder[queueInput, string](4)
	for _, item := range []string{"a", "b"} {
		rec.OK(rec.Call(1, 0, queueInput{item}), 0, "")
	}
	x, y := rec.Call(1, 0, queueInput{}), rec.Call(2, 0, queueInput{})
	rec.OK(x, 0, "a")
	rec.OK(y, 0, "a") // the same item twice
	e, err := lin.Explain(queueModel(), rec.History(), lin.Budget{})
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Possible)
	fmt.Print(e.Text)
	// Output:
	// [b]
	// Not linearizable: queue, 4 operations.
	// The first 3 completions have a legal order, the first 4 have none. The last of them:
	//   #3 client 2: pop -> a [called 6, returned 8]
	// cannot have had this result. Possible there: b.
	// It contradicts:
	//   #2 client 1: pop -> a [called 5, returned 7]: overlaps it
	// Its result would follow from:
	//   #0 client 1: push a [called 1, returned 2]: returned before it was called
}
