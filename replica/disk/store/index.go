package store

import (
	"slices"

	"github.com/chubbycell/chubby/paxos"
)

// index knows where in the log the first record stands that concerns a slot at
// or above any given one. Only a record that concerns a higher slot than all
// before it can be that, so it holds at most one place a slot.
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

// first is the number of that record, and next where there is none.
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
