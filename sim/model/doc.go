// Package model is test support: the vocabulary in which checkers speak of a cell.
//
// A checker keeps reference state of its own, made from the commands in the order of the
// log, from the bytes on the wire and from the disks, and from nothing that the product
// has computed. What several of them need stands here: the names of calls (call.go) and of
// lock owners (owner.go), handles as they were given out (grip.go), lock-delays (delay.go),
// ACL files (acl.go), and what a checker finds (finding.go).
package model
