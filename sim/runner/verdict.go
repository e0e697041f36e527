package runner

import "github.com/chubbycell/chubby/sim/cell"

// Verdict describes the outcome of a seed in one line.
func Verdict(r *cell.Result) string {
	switch {
	case r.Internal:
		return r.Breach.Text
	case r.Failed() && r.Breach.ID == "":
		return "crashed: " + r.Breach.Text
	case r.Failed():
		if r.Breach.Conformance {
			return "conformance " + r.Breach.ID + " broke: " + r.Breach.Text
		}
		return r.Breach.ID + " broke: " + r.Breach.Text
	case r.Undecided:
		return "undecided"
	case !r.Counted:
		return "clean, but idle"
	}
	return "clean"
}
