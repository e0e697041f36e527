// Package describe is test support: it describes messages as text, for traces and reports.
//
// Reading order: describe.go.
package describe
