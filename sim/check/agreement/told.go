package agreement

import (
	"slices"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/model"
)

// Untold is what an answer of the model owes by its contract (package api) and does
// not tell: metadata that were never told explain any history, and a write on the condition
// of a generation 0 is on none. lockless says that the answer owes no lock generation, since it may
// come from a cache.
func Untold(in linearizability.FileInput, out linearizability.FileOutput, lockless bool) model.Finding {
	if lockless && out.Stat.Lock == 0 {
		out.Stat.Lock = 1
	}
	switch {
	case out.Code != linearizability.FileOK && out.Code != linearizability.FileConflict:
	case in.Op == linearizability.FileDelete:
	case in.Op == linearizability.FileReadDir:
		for _, c := range out.Children {
			if !whole(c.Stat) {
				return model.Findingf("S4", "lists %q without its metadata: %+v", c.Name, c.Stat)
			}
		}
	case !whole(out.Stat):
		return model.Findingf("S4", "comes without the metadata of its node: %+v", out.Stat)
	}
	return model.Finding{}
}

// whole says that metadata have all that a node has.
func whole(s linearizability.FileStat) bool {
	plain := s.Kind == linearizability.FilePlain
	return s.Kind != 0 && s.Instance != 0 && s.ACL != 0 && s.Lock != 0 && !slices.Contains(s.Names[:], "") &&
		(!plain || s.Content != 0 && s.Checksum != 0)
}
