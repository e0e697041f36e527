package store

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
)

// index finds the first record in the log that concerns a slot at or above a given one.
// Only a record that concerns a higher slot than all records before it can be the first,
// so the index has at most one place for each slot.
type index []place

type place struct {
	lsn  paxos.LSN
	slot paxos.Slot
}

func (x *index) add(lsn paxos.LSN, slot paxos.Slot) {
	if slot > 0 && (len(*x) == 0 || slot > (*x)[len(*x)-1].slot) {
		*x = append(*x, place{lsn, slot})
	}
}

// first is the number of the first record that concerns slot or a higher one, and next
// where there is none.
func (x index) first(slot paxos.Slot, next paxos.LSN) paxos.LSN {
	if i := x.at(slot); i < len(x) {
		return x[i].lsn
	}
	return next
}

// drop forgets the places that concern only slots below.
func (x *index) drop(slot paxos.Slot) { *x = slices.Delete(*x, 0, x.at(slot)) }

func (x index) at(slot paxos.Slot) int {
	i, _ := slices.BinarySearchFunc(x, slot, func(p place, s paxos.Slot) int {
		if p.slot < s {
			return -1
		}
		return 1
	})
	return i
}
