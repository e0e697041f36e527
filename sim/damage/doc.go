// Package damage is test support: how much of a cell may be damaged, and what a damaged disk
// must still show.
//
// budget.go limits the damage of a run to what a cell of its size must survive. registers.go
// reads the two registers of a store, without the product's code, and says up to which record a
// disk vouches for its log: records below may be damaged, since the product can notice it.
// disk.go does the damage; snapshots.go names snapshot files.
package damage
