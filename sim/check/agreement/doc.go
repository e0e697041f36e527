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
//	checker.go     the state, and what a replica applies
//	disks.go       what a disk was told to keep and said it kept; votes.go: its votes;
//	               resumed.go: what a life makes of it; registers.go: whether it is lost
//	calls.go       where each call took effect; guards.go: in the epoch it was meant for;
//	               given_up.go: what is final; told.go: what an answer owes
//	rows.go        equal rows; rot.go: damage; snapshot.go, stock.go: snapshots
//	claims.go      messages and answers against the truth; claims_lead.go: proposing
//	questions.go   which peers a laggard asks
//	counts.go      counters for tables
package agreement
