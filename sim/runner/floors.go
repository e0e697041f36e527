package runner

// A batch of at least floorSeeds counted seeds must reach each demanded situation in at least
// floorReach of every floorSeeds seeds.
const (
	floorSeeds = 10_000
	floorReach = 10
)

// rare returns the demanded situations that a batch reached in too few seeds. Short batches are not
// judged.
func (s *Totals) rare() []string {
	all := []string{}
	if s.Counted < floorSeeds {
		return all
	}
	for _, r := range s.Sometimes {
		if r.Demanded && r.Seeds*floorSeeds < floorReach*s.Counted {
			all = append(all, r.Name)
		}
	}
	return all
}
