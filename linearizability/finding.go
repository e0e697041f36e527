package linearizability

import "fmt"

// FindingKind says which rule events break.
type FindingKind uint8

const (
	// Unfounded: an event cannot have happened after those before it (somebody
	// releases what he does not hold). The books are wrong, or the system is.
	Unfounded FindingKind = iota + 1

	// WriteBelowWrite, of CheckFencing: a write was accepted after a write with a
	// higher token.
	WriteBelowWrite
	// WriteBelowRead: a write was accepted after a read with a higher token.
	WriteBelowRead
	// ReadBelowWrite: a read was accepted after a write with a higher token.
	ReadBelowWrite
	// ReadBelowRead: a read was accepted after a read with a higher token.
	ReadBelowRead
	// LostUpdate: a write replaced another without having seen it.
	LostUpdate

	// ConflictingBeliefs, of CheckBeliefs: two holders believed at one instant
	// that they held a lock in modes that exclude each other.
	ConflictingBeliefs

	// ConflictingHolds, of CheckExclusion: a lock was granted to somebody while
	// another held it in a mode that excludes the one granted.
	ConflictingHolds
	// EarlyGrant: a lock was granted inside the lock-delay of a failed holder.
	EarlyGrant
	// LateGrant: a lock was granted after its node was deleted.
	LateGrant
	// StuckGeneration: a free lock was granted and its generation did not grow.
	StuckGeneration
	// MovedGeneration: another holder joined, and the generation moved.
	MovedGeneration

	// EarlyEnd, of CheckSessions: a master ended a session before a bound that a
	// master had promised.
	EarlyEnd
	// BeyondPromise: a client's bound was later than any that was promised.
	BeyondPromise
	// BrokenPromise: a master moved the end of a lease to an earlier time.
	BrokenPromise
	// Revived: something was promised to a session, or done for it, that was over.
	Revived
	// LostMiddle: of the operations of a session one was lost with its end, and a
	// later one was done.
	LostMiddle
)

// findingKinds are the phrases used in reports.
var findingKinds = names[FindingKind]{
	Unfounded:       "unfounded event",
	WriteBelowWrite: "write below a write", WriteBelowRead: "write below a read",
	ReadBelowWrite: "read below a write", ReadBelowRead: "read below a read", LostUpdate: "lost update",
	ConflictingBeliefs: "conflicting beliefs",
	ConflictingHolds:   "conflicting holds", EarlyGrant: "grant inside a lock-delay", LateGrant: "grant of a deleted lock",
	StuckGeneration: "generation did not grow", MovedGeneration: "generation moved",
	EarlyEnd: "session ended early", BeyondPromise: "bound beyond the promise", BrokenPromise: "lease end moved back",
	Revived: "session revived", LostMiddle: "lost in the middle",
}

// String is the phrase used in reports.
func (k FindingKind) String() string { return findingKinds.of(k) }

// MarshalText writes the phrase used in reports.
func (k FindingKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Finding is one breach of a property that a check of events found.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// Events are indexes into the events that were checked: those that the breach
	// stands on, in order; the last completes it.
	Events []int `json:"events"`
	// Text says it in words, on one to four lines.
	Text string `json:"text"`
}

// findings gathers what a check finds.
type findings []Finding

func (f *findings) add(kind FindingKind, events []int, format string, args ...any) {
	*f = append(*f, Finding{Kind: kind, Events: events, Text: fmt.Sprintf(format, args...)})
}

// seconds shows a true time or a duration.
func seconds(ns int64) string {
	if ns == Never {
		return "the end"
	}
	return fmt.Sprintf("%d.%06ds", ns/1e9, ns%1e9/1e3)
}
