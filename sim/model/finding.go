package model

import "fmt"

// Finding is what speaks against an action: a property and a text. The zero Finding is
// nothing.
type Finding struct{ ID, Text string }

// Findingf makes one.
func Findingf(id, format string, args ...any) Finding {
	return Finding{id, fmt.Sprintf(format, args...)}
}
