package session

import "github.com/chubbycell/chubby/replica/api"

// Token identifies a call of one Machine, from 1. The cell never sees it.
type Token uint64

// Outcome says what became of a call. The zero Outcome is invalid.
type Outcome uint8

const (
	// Executed: the cell executed the call, once, and Result is its answer.
	Executed Outcome = 1 + iota
	// Refused: the call was not executed and never will be.
	Refused
	// Unknown: the call may have been executed, may be executed later, or never.
	Unknown
)

// String prints the outcome as in traces.
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
	// Answered: a replica's answer, with its code in Result.Code.
	Answered Why = 1 + iota
	// Checked: the op is malformed; Result.Code is the result of api.Op.Check. Nothing was
	// sent.
	Checked
	// QueueFull: the queue was full. Nothing was sent.
	QueueFull
	// Cancelled: the caller called Cancel.
	Cancelled
	// Closed: the caller called Close, before or during the call.
	Closed
	// Expired: the session is gone, and the machine is Over.
	Expired
)

// String prints the reason as in traces.
func (w Why) String() string {
	switch w {
	case Answered:
		return "answered"
	case Checked:
		return "checked"
	case QueueFull:
		return "queue full"
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
	// Result is the answer if the outcome is Executed. Its Code is also set if an answer or a
	// check refused the call. Otherwise it is zero.
	Result api.Result
	// Cacheable reports that the answer to a call of StartCacheable may be cached, and read while
	// the lease is known to run (Status.Bound), until an EventDrop, EventFailover or EventJeopardy.
	Cacheable bool
}
