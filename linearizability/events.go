package linearizability

import "github.com/chubbycell/chubby/linearizability/events"

// The checks of events are in package events, which documents every name below.

// Finding is one violation that a check of events found.
type Finding = events.Finding

// FindingKind is a rule that events can break.
type FindingKind = events.FindingKind

// The rules that events can break.
const (
	Unfounded         = events.Unfounded
	WriteBelowWrite   = events.WriteBelowWrite
	WriteBelowRead    = events.WriteBelowRead
	ReadBelowWrite    = events.ReadBelowWrite
	ReadBelowRead     = events.ReadBelowRead
	LostUpdate        = events.LostUpdate
	ConflictingClaims = events.ConflictingClaims
	ConflictingHolds  = events.ConflictingHolds
	EarlyGrant        = events.EarlyGrant
	LateGrant         = events.LateGrant
	StuckGeneration   = events.StuckGeneration
	MovedGeneration   = events.MovedGeneration
	EarlyEnd          = events.EarlyEnd
	BeyondPromise     = events.BeyondPromise
	BrokenPromise     = events.BrokenPromise
	Revived           = events.Revived
	LostMiddle        = events.LostMiddle
)

// Access is one request to a resource that locks guard.
type Access = events.Access

// CheckFencing checks requests with tokens to a resource.
func CheckFencing(accesses []Access) []Finding { return events.CheckFencing(accesses) }

// HoldClaim is an interval of true time in which a client would have answered that it holds a lock.
type HoldClaim = events.HoldClaim

// CheckHoldClaims finds instants at which two holders claim one lock in modes that exclude each
// other.
func CheckHoldClaims(claims []HoldClaim) []Finding { return events.CheckHoldClaims(claims) }

// HoldEvent is a grant, a release or a failure of a holder of a lock.
type HoldEvent = events.HoldEvent

// HoldKind is what happened to a lock.
type HoldKind = events.HoldKind

// The kinds of HoldEvents.
const (
	HoldGranted   = events.HoldGranted
	HoldReleased  = events.HoldReleased
	HoldFailed    = events.HoldFailed
	HoldForgotten = events.HoldForgotten
)

// CheckExclusion checks grants, releases and failures of locks.
func CheckExclusion(all []HoldEvent) []Finding { return events.CheckExclusion(all) }

// SessionEvent is a change of a session.
type SessionEvent = events.SessionEvent

// SessionKind is what happened to a session.
type SessionKind = events.SessionKind

// The kinds of SessionEvents.
const (
	SessionPromised    = events.SessionPromised
	SessionClientBound = events.SessionClientBound
	SessionExpired     = events.SessionExpired
	SessionClosed      = events.SessionClosed
	SessionDone        = events.SessionDone
	SessionLost        = events.SessionLost
)

// CheckSessions checks promises, bounds and ends of sessions, and what is lost with them.
func CheckSessions(all []SessionEvent) []Finding { return events.CheckSessions(all) }
