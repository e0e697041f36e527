// Package replicas is test support: it checks, from outside, what one process life of a
// replica of package replica/driver owes to others.
//
// These checks hold our implementation to its own rules. A correct other implementation
// may fail them. A replica that keeps such a rule badly harms no peer that is patient: a
// peer that gets no answer asks again, a client that is forgotten tries another replica, a
// transfer that is left begins anew. A run that ends well shows none of that. So each rule
// is checked at the step that breaks it, from what the replica received, what it sends, and
// what it reports of itself.
//
// A breach is reported by World.Diverge: as conformance, with the number of the property
// that the rule serves, not as a violation of the cell.
//
// # The checks
//
//	check                                                   serves    shares with the code
//	client_requests.go  a client's request is answered or   L1        the codes that refuse at once (isRefusal)
//	                    kept
//	peer_requests.go    a peer's request for values, pieces L1        the messages of driver.Transfer
//	                    or a sum is answered, a transfer
//	                    for another replica is relayed
//	campaigns.go        a campaign is above every ballot    L1        nothing
//	                    heard of
//	elections.go        a former leader lets others         L1        paxos.Config: ElectionMin / 2,
//	                    campaign first; defeats of before             4 * ElectionMax
//	                    the last leader delay no campaign
//	quorum_loss.go      a leader steps down when a quorum   L1        2 * paxos.Config.ElectionMax
//	                    is silent, and only then
//	tenure.go           a leader with read authority does   L1        paxos.Counters: QuorumLost, HandedOver,
//	                    not step down for a candidate                 Installed
//	grants.go           a lease grant counts and binds for  S7b, L1   paxos.Lease: Grant and Term
//	                    as long as the messages say
//	fetching.go         a source is not left for another    L1, L2    minPauses: 15 * paxos.Config.Retransmit
//	                    snapshot; pieces are asked for
//	source.go           a snapshot is held for a peer that  L1        driver.Config.HoldFor, MaxDoublings,
//	                    fetches it                                    8 * Retransmit
//	retry.go            a snapshot that failed is tried     L2        driver.Config.RetryAfter
//	                    again
//	idle_log.go         an idle log writes its watermark    S17       driver.Config.IdleAfter
//	backup_age.go       the age of the newest backup is     S3        driver.Config.BackupEvery / 8, RetryAfter
//	                    noted for the next master
//	sums.go             a replica stops when a majority     S6        the majority of the replicas
//	                    reports other rows
//	row_questions.go    a question about the sum of rows    L2        16 * paxos.Config.Retransmit
//	                    is repeated before long
//
// # Reading order
//
// life.go has the callbacks and when each is made; then the checks in the order of the
// table.
package replicas
