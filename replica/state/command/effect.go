package command

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Effect is one of the structs of this file: something that followed from a command, as
// data. The order of effects is the order of the log.
type Effect interface{ effect() }

// EpochBegan: all commands with an older guard are refused from here on.
type EpochBegan struct{ Epoch rows.Epoch }

// SessionOpened: calls of the session are executed from here on.
type SessionOpened struct{ Session api.SessionID }

// SessionEnded: no call of the session is executed from here on, and it holds
// nothing. The effects on its locks follow.
type SessionEnded struct {
	Session api.SessionID
	Expired bool // the master ended it, not the client
}

// RowChanged: a user row was written or deleted. Key is the user's.
type RowChanged struct{ Key string }

// TreeChanged: a node changed, as an effect of package tree says.
type TreeChanged struct{ Effect tree.Effect }

// LockChanged: a lock changed, as an effect of package lock says.
type LockChanged struct{ Effect lock.Effect }

// ChecksumDue: the rows as they are behind this slot are to be summed.
type ChecksumDue struct{}

func (EpochBegan) effect()    {}
func (SessionOpened) effect() {}
func (SessionEnded) effect()  {}
func (RowChanged) effect()    {}
func (TreeChanged) effect()   {}
func (LockChanged) effect()   {}
func (ChecksumDue) effect()   {}

func treeEffects(all []tree.Effect) (out []Effect) {
	for _, e := range all {
		out = append(out, TreeChanged{e})
	}
	return out
}

func lockEffects(all []lock.Effect) (out []Effect) {
	for _, e := range all {
		out = append(out, LockChanged{e})
	}
	return out
}
