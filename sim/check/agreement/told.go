package agreement

import (
	"slices"

	"github.com/chubbycell/chubby/linearizability"
	"github.com/chubbycell/chubby/sim/model"
)

// Untold returns what an answer must contain by its contract (package api) and does not. The
// model of histories cannot notice this: metadata that were never told fit any history, and a
// write on condition of generation 0 has no condition. lockless says that the answer need not
// contain a lock generation, since it may come from a cache.
func Untold(in linearizability.FileInput, out linearizability.FileOutput, lockless bool) model.Finding {
	if lockless && out.Stat.Lock == 0 {
		out.Stat.Lock = 1
	}
	switch {
	case out.Code != linearizability.FileOK && out.Code != linearizability.FileConflict:
	case in.Op == linearizability.FileDelete:
	case in.Op == linearizability.FileReadDir:
		for _, c := range out.Children {
			if !isWhole(c.Stat) {
				return model.Findingf("S4", "lists %q without its metadata: %+v", c.Name, c.Stat)
			}
		}
	case !isWhole(out.Stat):
		return model.Findingf("S4", "comes without the metadata of its node: %+v", out.Stat)
	}
	return model.Finding{}
}

// isWhole reports whether metadata contain all that a node has.
func isWhole(s linearizability.FileStat) bool {
	plain := s.Kind == linearizability.FilePlain
	return s.Kind != 0 && s.Instance != 0 && s.ACL != 0 && s.Lock != 0 && !slices.Contains(s.Names[:], "") &&
		(!plain || s.Content != 0 && s.Checksum != 0)
}
