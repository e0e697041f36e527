package runner

// A batch is judged by the demanded situations from floorSeeds counted seeds
// on: each must have been reached in floorReach of so many.
const (
	floorSeeds = 10_000
	floorReach = 10
)

// rare are the demanded situations that a batch reached in too few seeds.
// Short batches are not judged.
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
