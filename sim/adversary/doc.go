// Package adversary is test support: a hostile client of the simulated cell.
//
// It speaks to replicas in raw requests, without package client: it forges tokens, uses those
// of others, names epochs that never were, sends again what it has overheard, and asks for
// too much. Each request is sent with what may be answered to it; any other answer breaks
// S14, or S16 where it was about another client's session.
//
// A deaf one keeps to the protocol, and acknowledges no drop (deaf.go).
//
// Reading order: adversary.go, client.go: the client on its machine; manners.go: what any
// client may do; tricks.go, numbers.go, rare.go: what no client may do.
package adversary
