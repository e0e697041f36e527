package model

import (
	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Call identifies a client's call, as the rows do.
type Call struct {
	Session api.SessionID
	Seq     api.Seq
}

// CallOf returns the call that a command executes; ok is false if the command executes no
// session's call.
func CallOf(c command.Command) (k Call, ok bool) {
	switch c := c.(type) {
	case command.Call:
		return Call{c.Session, c.Seq}, c.Session != 0
	case command.NodeCommand:
		return Call{c.Session, c.Seq}, true
	}
	return Call{}, false
}

// GuardOf returns a command's epoch guard; ok is false for a kind of command that has none.
func GuardOf(c command.Command) (guard api.Epoch, ok bool) {
	switch c := c.(type) {
	case command.Call:
		return c.Guard, true
	case command.NodeCommand:
		return c.Guard, true
	case command.Constant:
		return c.Guard, true
	case command.Found:
		return c.Guard, true
	case command.Expire:
		return c.Guard, true
	case command.FailHandle:
		return c.Guard, true
	case command.DelayOver:
		return c.Guard, true
	case command.Sweep:
		return c.Guard, true
	case command.LongestLease:
		return c.Guard, true
	case command.ConfirmLeadership:
		return c.Guard, true
	case command.Backup:
		return c.Guard, true
	case command.SetLimits:
		return c.Guard, true
	}
	return 0, false
}

// Digest returns a hash of a result in the form that the log has: without tokens.
func Digest(r api.Result) uint64 {
	if o, ok := r.Detail.(api.Opened); ok {
		o.Token = ""
		r.Detail = o
		if o.Node == (api.Ref{}) { // a SetSequencer's, which has nothing but the token
			r.Detail = nil
		}
	}
	var room [256]byte
	return xxhash.Sum64(api.AppendResult(room[:0], r))
}
