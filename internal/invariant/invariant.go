// Package invariant is pure: it reports that an invariant of the program does not
// hold.
//
// This is the fourth of the four kinds of errors (DESIGN.md, "Errors"). Bad input,
// protocol refusals and failing machines are not reported here. A broken invariant
// means that the program is wrong, and a replica that is wrong must not go on
// voting: Failf panics, nothing in a replica recovers, and the simulator
// reports the panic as a broken property under its ID.
package invariant

import "fmt"

// ID names an invariant, as in the table of DESIGN.md: "I-A1", "I-L2".
type ID string

// Violation is the value Failf panics with.
type Violation struct {
	ID   ID     // which invariant
	Text string // what was seen, with the state it was seen in
}

// Error makes a Violation readable wherever a panic value is printed.
func (v *Violation) Error() string { return fmt.Sprintf("invariant %s broken: %s", v.ID, v.Text) }

// Failf reports that the invariant id does not hold. It does not return.
func Failf(id ID, format string, args ...any) {
	panic(&Violation{ID: id, Text: fmt.Sprintf(format, args...)})
}

// Caught runs f and returns what it broke; nil if nothing. Other panics pass. It is
// for tests, and for checks of rows that came from a file and not from a log.
func Caught(f func()) (v *Violation) {
	defer func() {
		r := recover()
		var ok bool
		if v, ok = r.(*Violation); r != nil && !ok {
			panic(r)
		}
	}()
	f()
	return nil
}

// Check is Failf unless ok. Use it where the arguments cost nothing to make; on
// a hot path, test first and call Failf.
func Check(ok bool, id ID, format string, args ...any) {
	if !ok {
		Failf(id, format, args...)
	}
}
