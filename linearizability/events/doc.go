// Package events is test support: it has checks of properties that are not about answers, but about the order of events
// in true time or in a log, which only a simulator knows. Each check takes a list of events and returns Findings, none
// if there is no violation. Package linearizability has aliases of all names here.
//
// Reading order: finding.go, then fencing.go, claims.go, exclusion.go and session.go, one check
// each.
package events
