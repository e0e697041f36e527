// Package agreement is test support: it checks what no client can see of a cell. It watches every
// disk and every applied slot, and checks agreement (S1); that promises, epochs and applied slots
// never go down (S2); durability (S3); which calls may still take effect (S4, S5); equal rows
// (S6); damage (S17); and that messages and answers claim only what is true (I-W1).
//
// The checker is told facts at the instant at which they become true, which may be before the
// process concerned learns of them. The methods that tell it are named On and the fact. The
// interface Around is what the checker asks of the cell, and what it passes on.
//
// Reading order:
//
//	checker.go     the parts of the checker, and what a replica applies
//	truth.go       what is true of disks and slots; votes.go: the votes of a disk
//	logs.go        what a disk was told to keep and said it kept; resumed.go: what a life
//	               recovers from it
//	rot.go         damage; registers.go: whether a register's value is lost
//	snapshot.go    snapshots; stock.go: those of one disk
//	rows.go        equal rows
//	epochs.go      which replica began each epoch, and which serves it
//	calls.go       where each call took effect; guards.go: whether it arrived in that epoch;
//	               given_up.go: which calls may take effect no more
//	answers.go     what clients are told; told.go: what an answer must contain
//	claims.go      messages against the truth; claims_lead.go: proposals; questions.go:
//	               which peers a laggard asks
//	counts.go      counters for tables
package agreement
