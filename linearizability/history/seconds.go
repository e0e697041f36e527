package history

import "fmt"

// Seconds is a true time or a duration as reports have it; Never is the end.
func Seconds(ns int64) string {
	if ns == Never {
		return "the end"
	}
	return fmt.Sprintf("%d.%06ds", ns/1e9, ns%1e9/1e3)
}
