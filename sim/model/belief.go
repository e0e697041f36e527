package model

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// Believer is one process life of a client machine. Checkers ask it, at an instant of true
// time, what its client believes by its own clock.
type Believer interface {
	Status() client.Status
	Now() time.Time // by its machine's clock
	Dead() bool     // this life has ended: its beliefs no longer count
	Self() sim.Addr
}

// HeldLock is a lock as its holder sees it: a *client.Lock.
type HeldLock interface {
	Held() bool
	Err() error // why it is not held; nil if it is
	Context() context.Context
}

// OpenHandle is a handle as the program that opened it sees it.
type OpenHandle interface {
	Ref() api.Ref // the node
	IsEphemeral() bool
	OpenedIn() api.SessionID
	Number() api.HandleID
}
