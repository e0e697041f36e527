// Package upgrade is test support: it upgrades a cell of processes from this program to a next one, which its test makes.
//
// The next program has one more version of each format that two programs negotiate, with a field more: messages of clients,
// messages between replicas, and the command of SetLimits. Its sources are those of the tree with the edits of next.go.
package upgrade
