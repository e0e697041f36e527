// Package mutants is test support: it plants known bugs, to measure the
// simulator by what it finds.
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
// The diffs are never applied to the tree. A mutant is built with the go
// command's -overlay, so product code stays clean; a diff that no longer applies, or
// does not compile, fails the tests of this package. Rows (rows.go) lists every bug
// that was considered, with its diff or with the reason why there is none.
//
// A campaign hunts every bug from several starts and keeps each hunt in a book,
// from which the report is made: the instrument's score.
//
// Reading order: rows, mutant, patch, build, program, clean, hunt; then book, score, report,
// versus.
package mutants
