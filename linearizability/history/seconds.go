package history

import "fmt"

// Seconds formats a true time or a duration in nanoseconds for reports. For Never it returns "the end".
func Seconds(ns int64) string {
	if ns == Never {
		return "the end"
	}
	return fmt.Sprintf("%d.%06ds", ns/1e9, ns%1e9/1e3)
}
