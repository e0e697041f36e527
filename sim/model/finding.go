package model

import "fmt"

// Finding is an objection of a checker: the property that an action breaks, and a text. The
// zero Finding is no objection.
type Finding struct{ ID, Text string }

// Findingf makes a Finding with a formatted text.
func Findingf(id, format string, args ...any) Finding {
	return Finding{id, fmt.Sprintf(format, args...)}
}
