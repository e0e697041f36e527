// Package restore is test support: it makes a new cell of the newest backup of a cell whose
// run is over.
//
// The new cell has three replicas, in a world of its own without faults. It must serve what
// the backup has (S3), and must not have or give out anything that the old cell may have
// given out (S2, S11, S14).
//
// Reading order: cell.go (the new cell), former.go (what it must not have of the old one).
package restore
