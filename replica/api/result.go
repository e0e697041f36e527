package api

// Result is the answer to one op. Which fields are set depends on the op and the code, see Op; the
// others are zero.
type Result struct {
	Code    Code
	Found   bool      // Value is the value of a row
	Value   string    // of Get and GetContents, or of a CompareAndSet that met a conflict
	Pairs   []Pair    // of List, ascending by key
	Session SessionID // of OpenSession
	Detail  Detail    // of an op on a node, and of KeepAlive
}

// Pair is one row.
type Pair struct{ Key, Value string }

// IsListWithinLimits reports whether these rows fit into one answer to a List.
func IsListWithinLimits(pairs []Pair) bool {
	if len(pairs) > MaxListPairs {
		return false
	}
	room := MaxListBytes
	for _, p := range pairs {
		room -= len(p.Key) + len(p.Value)
		if room < 0 {
			return false
		}
	}
	return true
}
