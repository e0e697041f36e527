// Package damage is test support: how much of a cell may be damaged, and what a damaged
// disk must still show.
//
// budget.go keeps the damage of a run within what a cell of its size must bear.
// registers.go reads the two registers of a store, without the product's code, and says
// up to where a disk vouches for its log: what lies below may be damaged, since the
// product can notice it.
package damage
