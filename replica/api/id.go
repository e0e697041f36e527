package api

import "fmt"

// SessionID names one session for ever: it is a number of the replicated command counter and is
// never reused. 0 is no session.
type SessionID uint64

// Seq numbers the calls of one session, from 1, in the order in which the
// client first sent them. 0 is the Seq of the call that opens the session.
type Seq uint64

// Epoch numbers the unbroken masterships of a cell, from 1 (P5.02). 0 is unknown.
type Epoch uint64

// Nonce names one attempt of one client to open a session: a retry repeats the nonce and gets the
// same session. It consists of 128 random bits, so that two clients never share one.
type Nonce [2]uint64

// String returns the nonce as 32 hex digits.
func (n Nonce) String() string { return fmt.Sprintf("%016x%016x", n[0], n[1]) }
