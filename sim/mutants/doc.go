// Package mutants is test support: it plants known bugs, and measures how many of them the simulator finds.
//
// Each bug is one small unified diff against product code, in a file ID.diff
// with a header:
//
//	# id: P05
//	# title: the accept handler omits the ballot comparison
//	# property: S1, I-A2
//	# priority: A
//	--- a/paxos/acceptor.go
//	+++ b/paxos/acceptor.go
//	@@ -84,7 +84,7 @@
//	...
//
// The diffs are never applied to the tree. A mutant is built with the go command's -overlay, so product code stays
// clean. A diff that no longer applies, or does not compile, fails the tests of this package. Rows (rows.go) lists every
// bug that was considered, with its diff or with the reason why there is none.
//
// A hunt runs seeds of a mutant until something breaks. A campaign makes one hunt for every bug from each of several
// starts, which are different first seeds. It keeps the hunts in a book, and makes the report from the book.
//
// Reading order: rows.go, mutant.go, patch.go, build.go, program.go, clean.go, hunt.go; then book.go, score.go,
// report.go, versus.go.
package mutants
