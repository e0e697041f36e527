// Package handles is test support: it checks what calls on nodes do, and how they are
// answered.
//
// The Checker (checker.go) sees only the bytes between clients and replicas. From these it knows
// which requests reached replicas (Requests, requests.go), and which tokens masters gave out, to
// which session and for what (Grips, grips.go). A command that is proposed for a call on a node
// (Intents, intents.go; means.go), or an answer to it (Answers, answers.go), must be justified by
// a request of the session's own principal, with a token that was given to that session and is
// neither closed nor poisoned (S14, S16).
//
// Rights (rights.go) computes who may do what by the ACL files in log order; Quotas (quota.go)
// which nodes and bytes fit; Room (room.go) whether another handle or waiting Acquire may be
// refused; Census (census.go) how many sessions are alive. Settings (settings.go) checks limits
// that an operator sets.
package handles
