// Package agreement is test support: what no client could see of a cell. It watches every
// disk and every applied slot, and checks agreement (S1), promises, epochs and slots that
// never go down (S2), durability (S3), what is final (S4), at most once (S5), equal rows
// (S6), damage (S17), and that messages and answers claim what is true (I-W1).
//
// The checker is told of facts at the instant at which they become true, which may be
// before the process concerned hears of them: its methods are named On and the fact. What
// it asks of the cell, and what it hands on, is the interface Around.
//
// Reading order:
//
//	checker.go     what it is made of, and what a replica applies
//	truth.go       what is true of disks and slots; votes.go: the votes of a disk
//	logs.go        what a disk was told to keep and said it kept; resumed.go: what a life
//	               makes of it
//	rot.go         damage; registers.go: whether what a register had is lost
//	snapshot.go    snapshots; stock.go: those of one disk
//	rows.go        equal rows
//	epochs.go      who began each epoch, and who serves it
//	calls.go       where each call took effect; guards.go: in the epoch it was meant for;
//	               given_up.go: what is final
//	answers.go     what clients are told; told.go: what an answer owes
//	claims.go      messages against the truth; claims_lead.go: proposing; questions.go:
//	               which peers a laggard asks
//	counts.go      counters for tables
package agreement
