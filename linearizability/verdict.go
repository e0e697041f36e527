package linearizability

import "fmt"

// Verdict is the result of a check.
type Verdict uint8

const (
	// Undecided: the budget was exhausted. The zero value.
	Undecided Verdict = iota
	// Legal: an order that explains the history was found.
	Legal
	// Illegal: there is no such order (for a witness: the proposed order is wrong).
	Illegal
)

// String returns the word used in reports.
func (v Verdict) String() string {
	switch v {
	case Legal:
		return "legal"
	case Illegal:
		return "illegal"
	}
	return "undecided"
}

// MarshalText returns the word used in reports.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (v *Verdict) UnmarshalText(text []byte) error {
	for _, w := range []Verdict{Undecided, Legal, Illegal} {
		if w.String() == string(text) {
			*v = w
			return nil
		}
	}
	return fmt.Errorf("no verdict is called %q", text)
}

// worse returns the verdict over two parts of one history.
func worse(a, b Verdict) Verdict {
	switch {
	case a == Illegal || b == Illegal:
		return Illegal
	case a == Undecided || b == Undecided:
		return Undecided
	}
	return Legal
}
