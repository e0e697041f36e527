// Package shares is test support: it checks how principals share the log of a master (L3).
//
// Reading order: checker.go.
package shares
