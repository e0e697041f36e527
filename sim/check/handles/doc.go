// Package handles is test support: what calls on nodes may do, and what they are answered.
//
// From the bytes between clients and replicas alone, Checker (checker.go) knows what came to
// replicas (Requests, requests.go), and which tokens masters have given out, to which session
// and for what (Grips, grips.go). What is proposed (Intents, intents.go; means.go) or answered
// (Answers, answers.go) for a call on a node must be justified by a request of the session's
// own principal, with a token that was given to it, neither closed nor poisoned (S14, S16).
// Rights (rights.go) says who may do what by the ACL files in the order of the log, Quotas
// (quota.go) what there is room for, Room (room.go) whether there may be none for another
// handle or another waiting Acquire, Census (census.go) how many sessions live.
package handles
