package runner

import "slices"

// End is why a batch begins no more seeds. `chubby sim -o json` prints it, so the values never
// change.
type End string

// The ends. End.Or prefers later ones.
const (
	EndSeeds     End = "seeds"     // the wanted number of seeds counted, or the one named seed ran
	EndTime      End = "time"      // Batch.For of real time is over
	EndFailures  End = "failures"  // Batch.MaxFailures seeds failed
	EndIdle      End = "idle"      // it gave up: too many seeds did too little to count
	EndLast      End = "last"      // no seed is left: the largest one ran, or the last of Batch.Most
	EndInterrupt End = "interrupt" // by a signal
)

// Words describes an end, by the flag that sets it if there is one.
func (e End) Words() string {
	return map[End]string{
		EndSeeds: "--seeds", EndTime: "--for", EndFailures: "--max-failures",
		EndIdle: "too many idle seeds", EndLast: "the largest seed", EndInterrupt: "an interrupt",
	}[e]
}

// Or returns the end of two shards together: the one that comes later in the list above.
func (e End) Or(o End) End {
	order := []End{EndSeeds, EndTime, EndFailures, EndIdle, EndLast, EndInterrupt}
	if slices.Index(order, o) > slices.Index(order, e) {
		return o
	}
	return e
}
