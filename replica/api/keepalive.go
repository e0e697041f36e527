package api

import "time"

// KeepAlive extends the lease of the session of its request. Its Seq is 0: it is not a call, takes
// no place in the log and leaves no answer. A client has one under way nearly always. The master
// holds it until the session's lease is nearly over, or until it has something to report, and
// answers with a longer lease (CHU §2.8). OK with Leased; NoSession.
//
// After a fail-over it also carries what the new master does not know: the tokens of handles that
// hold locks or ephemeral nodes.
type KeepAlive struct {
	// AckedEpoch acknowledges the last fail-over, by its epoch: the client has emptied its cache
	// and presented all such tokens.
	AckedEpoch Epoch
	// AckedEvents acknowledges that the client has all events of the master of Request.Epoch up to
	// this number. 0: none.
	AckedEvents EventNumber
	// Now asks for the answer at once: the client has no lease on which it can rely, or an answer
	// may be lost and its lease may end before the next one. The master does not know which answers
	// have arrived, and would hold the request while the session's lease, as the master knows it,
	// runs.
	Now bool
	// Tokens are presented to the new master, in this KeepAlive or in earlier ones, before
	// AckedEpoch names the master's epoch.
	Tokens []Token
}

// Bounds of the tokens in one KeepAlive. A client with more sends several.
const (
	MaxTokens     = 1 << 10
	MaxTokenBytes = 1 << 18
)

func (KeepAlive) op() {}

// Check refuses empty tokens, tokens that are too long, and too many tokens.
func (o KeepAlive) Check() Code {
	if len(o.Tokens) > MaxTokens {
		return TooLarge
	}
	size := 0
	for _, t := range o.Tokens {
		if code := checkHandle(t); code != OK {
			return code
		}
		size += len(t)
	}
	if size > MaxTokenBytes {
		return TooLarge
	}
	return OK
}

// Leased is the answer to a KeepAlive: the session does not end before its lease, unless the client
// ends it.
type Leased struct {
	// Lease is how long the lease runs, on the master's clock, from the instant at which it
	// received the request that is answered. The client may therefore count it from the sending of
	// that request, by its own clock, less the error bound of both clocks. The delays of the
	// request and the answer do not matter.
	Lease time.Duration
	// Failover asks the client to acknowledge this epoch: to empty its cache, to present
	// its tokens, and then to send the epoch as AckedEpoch. Events may have been lost.
	Failover bool
	// Events are the oldest events that, as far as the master knows, the client has not
	// acknowledged. They are consecutive and ascending; the last one has the number LastEvent. The
	// master repeats them until they are acknowledged. It answers a KeepAlive at once if the
	// session has events (CHU §2.7, §2.8).
	Events    []Event
	LastEvent EventNumber // 0 without events
}

func (Leased) detail() {}

// MaxLease is the longest Leased.Lease: the longest lease plus the longest time for which a request
// may have been held.
const MaxLease = 10 * time.Minute
