package api

// Op is one of the ops of this package: a struct of op.go or node_op.go, or a KeepAlive. No other
// package defines one. Strings hold any bytes. Ops are values: copy them freely.
//
// An op that is executed is executed exactly once, at one place of the log, and is answered with OK
// or with another code whose Execution is Executed. All other codes are refusals and not answers,
// see Code.
type Op interface {
	// Check returns OK, or the code with which a replica in any state refuses the op:
	// Invalid or TooLarge.
	Check() Code
	op()
}

// OpenSession asks for a session. Its request has Session 0 and Seq 0. OK, with the id in
// Result.Session; the same Nonce gets the same id however often it is sent.
type OpenSession struct{ Nonce Nonce }

// EndSession ends the session of its request and drops its stored answers. OK. A copy that
// comes later is answered NoSession, which means the same to the sender of an EndSession.
type EndSession struct{}

// Get reads one row. OK with Found and the Value, or NotFound.
type Get struct{ Key string }

// Put writes one row, whether or not it was there. OK.
type Put struct{ Key, Value string }

// Delete removes one row. OK, or NotFound if there is none.
type Delete struct{ Key string }

// CompareAndSet writes Value if the row holds Expect or, with Absent, if there is no row. With
// Absent, Expect must be empty. OK, or Conflict with the present row: Found and Value.
type CompareAndSet struct {
	Key    string
	Expect string
	Absent bool
	Value  string
}

// List reads all rows whose keys begin with Prefix. OK with Pairs in ascending order of the keys'
// bytes; TooLarge if they exceed MaxListPairs or MaxListBytes. The empty prefix lists everything.
type List struct{ Prefix string }

func (OpenSession) op()   {}
func (EndSession) op()    {}
func (Get) op()           {}
func (Put) op()           {}
func (Delete) op()        {}
func (CompareAndSet) op() {}
func (List) op()          {}

// Check refuses the zero nonce: a client that sends it forgot to draw one.
func (o OpenSession) Check() Code {
	if o.Nonce == (Nonce{}) {
		return Invalid
	}
	return OK
}

// Check refuses nothing.
func (EndSession) Check() Code { return OK }

// Check refuses an empty key, and one that is too long.
func (o Get) Check() Code { return checkRow(o.Key) }

// Check refuses an empty key, and a key or value that is too long.
func (o Put) Check() Code { return checkRow(o.Key, o.Value) }

// Check refuses an empty key, and one that is too long.
func (o Delete) Check() Code { return checkRow(o.Key) }

// Check refuses an empty key, strings that are too long, and an expected value
// for a row that is expected to be absent.
func (o CompareAndSet) Check() Code {
	if o.Absent && o.Expect != "" {
		return Invalid
	}
	return checkRow(o.Key, o.Expect, o.Value)
}

// Check refuses a prefix that is too long.
func (o List) Check() Code {
	if len(o.Prefix) > MaxKey {
		return TooLarge
	}
	return OK
}

func checkRow(key string, values ...string) Code {
	switch {
	case key == "":
		return Invalid
	case len(key) > MaxKey:
		return TooLarge
	}
	for _, v := range values {
		if len(v) > MaxValue {
			return TooLarge
		}
	}
	return OK
}
