package replica

import (
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Cell returns the identity of the cell whose rows this replica has (rows.CellID), 0 as long as they are of none: it was
// started empty, and its cell is not founded yet, or it has not heard of that. It does not change any more then. It
// does not block.
//
// A Transport should refuse a replica of the same name and another identity: the two have different histories, and the
// one that is behind would take the rows of the other. Cell changes before the first message is sent that depends on it.
func (r *Replica) Cell() uint64 { return r.cell.Load() }

// noteCell keeps what Cell returns.
func (r *Replica) noteCell(h *driver.Driver) {
	if r.cell.Load() != 0 {
		return
	}
	if id, founded := rows.CellID(h.Core().View()); founded {
		r.cell.Store(id)
	}
}
