// Package describe is test support: the texts of messages, for traces and reports.
//
// Reading order: describe.go.
package describe
