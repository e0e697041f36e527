package rows

import (
	"math"
	"strconv"
)

// FirstVersion is the version of commands that a cell uses at first. It is the one of all programs before the first that
// has two.
const FirstVersion byte = 3

// ConstantVersion names the replicated constant that says that the cell uses a version of commands above FirstVersion. It
// is set for ever: what is in the log stays there, so a cell never goes back. Programs that know only FirstVersion know
// the command that sets it, and no row besides it changes.
func ConstantVersion(v byte) string { return "commands version " + strconv.Itoa(int(v)) }

// VersionValue is the value of all these constants.
const VersionValue = "all members know it"

// GetVersion returns the version of commands that the cell uses: the highest with which a master may propose. Versions are
// raised one by one.
func GetVersion(r Reader) byte {
	v := FirstVersion
	for v < math.MaxUint8 {
		if _, ok := GetConstant(r, ConstantVersion(v+1)); !ok {
			return v
		}
		v++
	}
	return v
}
