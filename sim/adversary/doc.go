// Package adversary is test support: a hostile client of the simulated cell.
//
// It sends raw requests to replicas, without package client. It forges tokens, uses those of other
// clients, names epochs that never were, repeats requests that it has overheard, and asks for too
// much. Each request has a set of answers that are allowed; any other answer breaks S14, or S16 if
// the request was about another client's session.
//
// A deaf client keeps to the protocol, but never acknowledges that it dropped something from its
// cache (deaf.go).
//
// Reading order: adversary.go, client.go: the client on its machine; manners.go: what any
// client may do; tricks.go, numbers.go, rare.go: what no client may do.
package adversary
