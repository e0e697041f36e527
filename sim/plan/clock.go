package plan

import "github.com/chubbycell/chubby/sim"

// ClockRate is an error that a clock may have, of most parts in a billion: often as large as it may be, because
// what is wrong by a little shows only there.
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
