// Package contract is test support: it checks replica/CONTRACT.md against the tree.
//
// The list says of each numbered statement about Chubby whether it is tested. A tested
// statement names a test and one change of the product that makes this test fail: a
// test that no change can break is of no use. The tests of this package check that
// every number is there once, that the tests exist, and that the changes can be made and
// compile; with -try they also make them, one by one, in the go command's overlay.
//
//	go test ./internal/contract                                        # the list and the tree agree
//	go test ./internal/contract -run Changes -v -timeout 2h -try all   # every change is tried
//	go test ./internal/contract -run Changes -v -try 20 -turn 7        # the seventh sample of 20
//	go test ./internal/contract -run Changes -v -try C7.01             # those of one line
//
// # The form
//
// A statement is a row of a table, its changes stand in blocks below:
//
//	| C1.01 | what the cell promises | tested |
//	| C1.02 | ...                    | by design: why no test says more |
//	| C1.03 | ...                    | later: with which subject |
//	| C1.04 | ...                    | not applicable: why |
//
//	C1.01 replica/core TestName/subtest replica/master/file.go
//	- the text that stands there, once in the file
//	+ the text that takes its place
//
// Several lines with - are one text; without + the text goes.
//
// Reading order: list.go (the form), check.go (against the tree), try.go.
package contract
