package client

import "fmt"

// Replica is the address of a replica. Ids repeat between cells, so a replica is the pair of its
// cell and its id there.
type Replica struct {
	Cell string // the name of the cell, as given to WithCells or WithCell; empty: the local cell, whatever its name
	ID   uint32 // as in Config.Replicas or the Target of its cell; not 0
}

// String returns "replica ID", for a replica of another cell than the local one followed by "of cell NAME".
func (r Replica) String() string {
	if r.Cell == "" {
		return fmt.Sprintf("replica %d", r.ID)
	}
	return fmt.Sprintf("replica %d of cell %s", r.ID, r.Cell)
}
