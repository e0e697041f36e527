package db

// SumScan computes the checksum of a view from its rows, a few rows at a time, for callers that
// must not block until all rows are read. One goroutine owns it.
type SumScan struct {
	view View
	from string // the next row is not below
	sum  Sum
	done bool
}

// SumScan begins to compute the checksum of all rows of the view.
func (v View) SumScan() *SumScan { return &SumScan{view: v} }

// Step adds up to rows further rows, at least one, and returns whether all rows have been
// added.
func (s *SumScan) Step(rows int) bool {
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

// Sum returns the checksum of the rows added so far.
func (s *SumScan) Sum() Sum { return s.sum }

// Maintained returns the checksum that was maintained while the rows were written. It equals the
// final Sum unless something other than a transaction changed memory.
func (s *SumScan) Maintained() Sum { return s.view.sum }
