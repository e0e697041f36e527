// Package shares is test support: what each principal has in the log of a master (L3).
//
// Reading order: checker.go.
package shares
