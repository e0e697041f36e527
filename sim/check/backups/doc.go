// Package backups is test support: whether what a replica wrote to its far place is a backup
// (S3, S6), and how many stay there (L2).
//
// Reading order: checker.go.
package backups
