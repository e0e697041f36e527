// Package sessions is test support: it checks that masters keep what they promise to sessions
// (S11), and that a fail-over ends when it should.
//
// Checker (checker.go; replies.go: answers) reads a master's memory whenever a promise changes. It
// judges the promise by what reached the master and by the log: no session is ended while its
// lease runs, and no promise is taken back. seat.go holds what is known of one master in its
// epoch; lengths.go how long leases should be; lapses.go what a master leaves undone; brought.go
// which handles clients have presented to it. The interface Facts is what the Checker asks of
// other models.
package sessions
