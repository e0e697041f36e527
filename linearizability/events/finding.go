package events

import (
	"fmt"

	"github.com/chubbycell/chubby/linearizability/model"
)

// FindingKind is the rule that events break.
type FindingKind uint8

const (
	// Unfounded: an event cannot follow those before it, such as a release by a handle that
	// holds nothing. Either the record of events is wrong or the system is.
	Unfounded FindingKind = iota + 1

	// WriteBelowWrite, of CheckFencing: a write was accepted after a write with a higher token.
	WriteBelowWrite
	// WriteBelowRead: a write was accepted after a read with a higher token.
	WriteBelowRead
	// ReadBelowWrite: a read was accepted after a write with a higher token.
	ReadBelowWrite
	// ReadBelowRead: a read was accepted after a read with a higher token.
	ReadBelowRead
	// LostUpdate: a write replaced another one that its client had not read.
	LostUpdate

	// ConflictingClaims, of CheckHoldClaims: two holders claimed a lock at one instant in modes
	// that exclude each other.
	ConflictingClaims

	// ConflictingHolds, of CheckExclusion: a lock was granted while another handle held it in a
	// mode that excludes the granted one.
	ConflictingHolds
	// EarlyGrant: a lock was granted inside the lock-delay of a failed holder.
	EarlyGrant
	// LateGrant: a lock was granted after its node was deleted.
	LateGrant
	// StuckGeneration: a free lock was granted and its generation did not grow.
	StuckGeneration
	// MovedGeneration: a lock that was held was granted to another handle, and its generation
	// changed.
	MovedGeneration

	// EarlyEnd, of CheckSessions: a master ended a session before a promised bound.
	EarlyEnd
	// BeyondPromise: a client's bound was later than every promised one.
	BeyondPromise
	// BrokenPromise: a master moved the end of a lease to an earlier time.
	BrokenPromise
	// Revived: a session was promised something, or executed something, after its end.
	Revived
	// LostMiddle: an operation of a session was lost with its end, and a later one was
	// executed.
	LostMiddle
)

// findingKinds are the phrases used in reports.
var findingKinds = model.Words[FindingKind]{
	Unfounded:       "unfounded event",
	WriteBelowWrite: "write below a write", WriteBelowRead: "write below a read",
	ReadBelowWrite: "read below a write", ReadBelowRead: "read below a read", LostUpdate: "lost update",
	ConflictingClaims: "conflicting claims",
	ConflictingHolds:  "conflicting holds", EarlyGrant: "grant inside a lock-delay", LateGrant: "grant of a deleted lock",
	StuckGeneration: "generation did not grow", MovedGeneration: "generation moved",
	EarlyEnd: "session ended early", BeyondPromise: "bound beyond the promise", BrokenPromise: "lease end moved back",
	Revived: "session revived", LostMiddle: "lost in the middle",
}

// String returns the phrase used in reports.
func (k FindingKind) String() string { return findingKinds.Of(k) }

// MarshalText returns the phrase used in reports.
func (k FindingKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Finding is one violation that a check of events found.
type Finding struct {
	Kind FindingKind `json:"kind"`
	// Events are indexes into the checked events: those that show the violation, in order; the
	// last completes it.
	Events []int `json:"events"`
	// Text describes it in one to four lines.
	Text string `json:"text"`
}

// findings collects the findings of a check.
type findings []Finding

func (f *findings) add(kind FindingKind, events []int, format string, args ...any) {
	*f = append(*f, Finding{Kind: kind, Events: events, Text: fmt.Sprintf(format, args...)})
}
