package runner

import "slices"

// End is why a batch begins no more seeds. It is part of what `chubby sim -o json`
// promises.
type End string

// The ends, the one that says most about a batch of shards last.
const (
	EndSeeds     End = "seeds"     // as many counted as were wanted, or the one that was asked for ran
	EndTime      End = "time"      // its real time was over
	EndFailures  End = "failures"  // as many failed as it bears
	EndIdle      End = "idle"      // it gave up: too many seeds did too little to count
	EndLast      End = "last"      // no seed is left: the largest one was run, or the last of Most
	EndInterrupt End = "interrupt" // by a signal
)

// Words name an end after the flag that asks for it.
func (e End) Words() string {
	return map[End]string{
		EndSeeds: "--seeds", EndTime: "--for", EndFailures: "--max-failures",
		EndIdle: "too many idle seeds", EndLast: "the largest seed", EndInterrupt: "an interrupt",
	}[e]
}

// Or is that of two ends that says most: the one that comes later in the list above.
func (e End) Or(o End) End {
	order := []End{EndSeeds, EndTime, EndFailures, EndIdle, EndLast, EndInterrupt}
	if slices.Index(order, o) > slices.Index(order, e) {
		return o
	}
	return e
}
