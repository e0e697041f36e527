package api

import "time"

// KeepAlive keeps the session of its request, which has Seq 0 and Seen 0: it is no
// call, takes no place in the log and leaves no answer. A client has one under way
// nearly always. The master holds it until the session's lease is nearly over,
// or there is something to tell, and answers with a longer lease (CHU §2.8). OK
// with Leased; NoSession.
//
// After a fail-over it also brings back what the new master forgot: the tokens of
// handles that hold locks, or ephemeral nodes.
type KeepAlive struct {
	// Flushed is the epoch of the last fail-over that the client has taken notice
	// of: its cache is empty, and all its tokens of that kind were presented.
	AckedEpoch Epoch
	// Now asks for the answer at once: the client has no lease that it may count on,
	// or fears that an answer was lost and its lease ends before the next. The master
	// does not know what the client was told, and would hold the request for as long
	// as it knows the session to be safe.
	Now bool
	// Tokens are presented to the new master. Before Flushed names its epoch.
	Tokens []Token
}

// Bounds of the tokens in one KeepAlive. Who has more sends several.
const (
	MaxTokens     = 1 << 10
	MaxTokenBytes = 1 << 18
)

func (KeepAlive) op() {}

// Check refuses empty and too long tokens, and too many.
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

// Leased is the answer to a KeepAlive: the session does not end before its
// lease, unless the client ends it.
type Leased struct {
	// Lease is how long the lease runs, on the master's clock, from the instant at
	// which it received the very request that is answered. So the client may count
	// it from when it sent that, by its own clock, less what both clocks may err by;
	// how long the request or the answer took does not matter.
	Lease time.Duration
	// Failover asks the client to take notice of this epoch: to flush its cache, to
	// present its tokens, and to name the epoch in Flushed. Events may have been lost.
	Failover bool
}

func (Leased) detail() {}

// MaxLease is the longest Leased.Lease: the longest lease there is, and as long as
// a request may have been held.
const MaxLease = 10 * time.Minute
