// Package replicas is test support: it watches, from outside, what one process life of a
// replica owes to others, and that it pays.
//
// Most of such debts harm nobody who is patient: a peer that is not answered asks again, a
// client that is forgotten tries elsewhere, a transfer that is left begins anew. A run that
// ends well shows none of them. So each is looked for at the step that runs it up, with
// nothing but what the replica was told, what it says, and what it reports of itself.
//
// Reading order:
//
//	life.go     a life, and what is told of it, when
//	debts.go    a client that asks is answered, or remembered (L1)
//	asked.go    so is another replica: values of the log, pieces, sums (L1)
//	rounds.go   a campaign is above all that was heard of (L1)
//	silence.go  a leader gives up when a quorum is silent, and only then (L1)
//	tenure.go   and for no other reason while it has the word of a majority (L1)
//	grants.go   a word about time counts and binds for as long as the messages say (S7b, L1)
//	given.go    who gives a laggard a snapshot is not left for who has another (L1), and
//	            nothing is taken that was not asked for (L2)
//	source.go   how long one gives a snapshot (L1)
//	retry.go    a snapshot that failed is tried again (L2)
//	idle.go     a log that rests is marked (S17)
//	notes.go    how old the newest backup is, for the next master (S3)
//	sums.go     who is told of other rows by too many stops (S6)
//
// A debt that is not paid breaks the run by World.Break, with its number.
package replicas
