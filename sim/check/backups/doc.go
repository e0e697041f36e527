// Package backups is test support: it checks that what a replica writes to its place of
// backups is a backup (S3, S6), and how many backups stay there (L2).
//
// Reading order: checker.go.
package backups
