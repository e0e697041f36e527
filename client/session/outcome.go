package session

import "github.com/chubbycell/chubby/replica/api"

// Token names a call of one Machine, from 1. Tokens are the caller's; the cell
// never sees them.
type Token uint64

// Outcome says what became of a call. The zero Outcome is none of them.
type Outcome uint8

const (
	// Executed: the cell executed the call, once, and Result is its answer. OK,
	// NotFound or Conflict.
	Executed Outcome = 1 + iota
	// Refused: the call was not executed and never will be.
	Refused
	// Unknown: the call may have been executed, may yet be, or neither.
	Unknown
)

// String prints the outcome as traces do.
func (o Outcome) String() string {
	switch o {
	case Executed:
		return "executed"
	case Refused:
		return "refused"
	case Unknown:
		return "unknown"
	}
	return "no outcome"
}

// Why says what ended a call.
type Why uint8

const (
	// Answered: a replica's answer; Result.Code tells the rest.
	Answered Why = 1 + iota
	// Checked: the op breaks a rule of its own; Result.Code is what
	// api.Op.Check says. Nothing was sent.
	Checked
	// Crowded: the queue was full. Nothing was sent.
	Crowded
	// Cancelled: Cancel.
	Cancelled
	// Closed: Close, before or during the call.
	Closed
	// Expired: the session is gone, and the machine with it.
	Expired
)

// String prints the reason as traces do.
func (w Why) String() string {
	switch w {
	case Answered:
		return "answered"
	case Checked:
		return "checked"
	case Crowded:
		return "crowded"
	case Cancelled:
		return "cancelled"
	case Closed:
		return "closed"
	case Expired:
		return "expired"
	}
	return "no reason"
}

// Done is the end of one call.
type Done struct {
	Token   Token
	Outcome Outcome
	Why     Why
	// Result is the answer where the outcome is Executed; its Code stands also
	// where an answer or a check refused. Otherwise it is zero.
	Result api.Result
}
