package db

// Summing computes the checksum of a view from its rows, some at a time, for
// those who cannot wait for all of them.
type Summing struct {
	view View
	from string // the next row is not below
	sum  Sum
	done bool
}

// Summing begins to compute the checksum of all rows of the view.
func (v View) Summing() *Summing { return &Summing{view: v} }

// Step takes in up to rows further rows, at least one, and says whether that was
// all.
func (s *Summing) Step(rows int) bool {
	if s.done {
		return true
	}
	left := max(rows, 1)
	s.done = true
	for key, value := range s.view.Ascend(s.from, "") {
		if left == 0 {
			s.from, s.done = key, false
			break
		}
		s.sum = s.sum.plus(rowSum(key, value))
		left--
	}
	return s.done
}

// Sum is the checksum of the rows taken in so far; of all, once Step said so.
func (s *Summing) Sum() Sum { return s.sum }

// Kept is the checksum that was kept while the rows were written: it is the same
// unless memory was changed by something that is not a transaction.
func (s *Summing) Kept() Sum { return s.view.sum }
