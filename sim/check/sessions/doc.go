// Package sessions is test support: what masters promise to sessions, and keep (S11), and
// when a fail-over is over.
//
// Checker (checker.go; replies.go: its answers) looks at each master where a promise moves, and
// judges it by what came to the master and by the log: no session is ended while its lease
// runs, no promise is taken back. seat.go is what is known of one master in its epoch; lengths.go how long leases are
// to be; lapses.go what a master leaves undone; brought.go which handles clients have
// presented to it. What it asks of other models is the interface Facts.
package sessions
