// Package growth is test support: it bounds what replicas hold in memory and on their disks
// (L2).
//
// Reading order: checker.go; measured.go: what is bounded; chunks.go: how much of a snapshot
// is synced at once.
package growth
