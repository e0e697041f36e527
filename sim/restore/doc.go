// Package restore is test support: the cell that is made of the newest backup of another one
// whose run is over.
//
// It is a cell of three, in a world of its own without faults. It must serve what the backup
// has (S3), and have and give out nothing that the old cell may have given out (S2, S11,
// S14).
//
// Reading order: cell.go: the new cell; former.go: what it must not have of the old one.
package restore
