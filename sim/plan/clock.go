package plan

import "github.com/chubbycell/chubby/sim"

// ClockRate draws the rate error of a clock, at most most parts in a billion. It is often as large
// as it may be, because small faults show only there.
func ClockRate(most int64, d *sim.Draw) int64 {
	switch d.Int(4) {
	case 0:
		return most
	case 1:
		return -most
	default:
		return d.Between(-most, most)
	}
}
