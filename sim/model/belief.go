package model

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/sim"
)

// Believer is a client in one life of its machine: what it takes for true at an instant of
// true time, by its own clock.
type Believer interface {
	Status() client.Status
	Now() time.Time // by the clock of its machine
	Dead() bool     // its machine's life has ended: it believes nothing any more
	Self() sim.Addr
}

// HeldLock is a lock as its holder sees it: a *client.Lock.
type HeldLock interface {
	Held() bool
	Err() error // why it is not held; nil: it is
	Context() context.Context
}

// OpenHandle is a handle as the program knows it that has opened a node.
type OpenHandle interface {
	Ref() api.Ref // the node
	IsEphemeral() bool
	OpenedIn() api.SessionID
	Number() api.HandleID
}
