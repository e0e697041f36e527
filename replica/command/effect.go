package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/rows"
)

// Effect is one of the structs of this file: something that followed from a
// command, told as data. The order of effects is the order of the log.
type Effect interface{ effect() }

// EpochBegan: all commands with an older guard are refused from here on.
type EpochBegan struct{ Epoch rows.Epoch }

// SessionOpened: calls of the session are executed from here on.
type SessionOpened struct{ Session api.SessionID }

// SessionEnded: no call of the session is executed from here on.
type SessionEnded struct{ Session api.SessionID }

// RowChanged: a user row was written or taken away. Key is the user's.
type RowChanged struct{ Key string }

// ChecksumDue: the rows as they are behind this slot are to be summed.
type ChecksumDue struct{}

func (EpochBegan) effect()    {}
func (SessionOpened) effect() {}
func (SessionEnded) effect()  {}
func (RowChanged) effect()    {}
func (ChecksumDue) effect()   {}
