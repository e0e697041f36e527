// Package cli is concurrent: what the project's command-line programs share. It knows
// nothing of cells or simulations.
//
// Reading order:
//
//	exit.go     exit codes, and errors that carry one
//	program.go  a tree of commands run to its exit code; main.go: as a process
//	streams.go  stdin, stdout and stderr, and what is printed there
//	spare.go    outputs that would overwrite an input
//	form.go     the flag -o; table.go: rows of a table; bounds.go: numbers flags take
//	toolarge.go values of flags that are too large to be read
//	order.go    work done side by side and told in order; panics.go: its panics
package cli
