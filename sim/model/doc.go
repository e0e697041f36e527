// Package model is test support: the vocabulary in which checkers speak of a cell.
//
// A checker keeps its own reference state. It builds this state from the commands in log order,
// from the bytes on the wire and from the disks, never from anything that the product computed.
// This package holds what several checkers need: the identity of calls (call.go) and of lock
// owners (owner.go), handles as masters gave them out (grip.go), lock-delays (delay.go), ACL
// files (acl.go), and the form of what a checker finds (finding.go).
package model
