package model

import (
	"github.com/cespare/xxhash/v2"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// Call names a client's call as the rows do.
type Call struct {
	Session api.SessionID
	Seq     api.Seq
}

// CallOf is the name of the call of a session that a command does; ok is false if
// it does none.
func CallOf(c command.Command) (k Call, ok bool) {
	switch c := c.(type) {
	case command.Call:
		return Call{c.Session, c.Seq}, c.Session != 0
	case command.NodeCommand:
		return Call{c.Session, c.Seq}, true
	}
	return Call{}, false
}

// GuardOf is the epoch that a command is of; ok is false for those that are of
// none.
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

// Digest is a digest of a result as the log has it: without tokens.
func Digest(r api.Result) uint64 {
	if o, ok := r.Detail.(api.Opened); ok {
		o.Token = ""
		r.Detail = o
		if o.Node == (api.Ref{}) { // of a SetSequencer, which tells nothing else
			r.Detail = nil
		}
	}
	var room [256]byte
	return xxhash.Sum64(api.AppendResult(room[:0], r))
}
