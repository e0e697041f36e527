package model

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// FenceIn is the sequencer that the handle of a deed is tied to; zero: none.
func FenceIn(d command.NodeOp) api.Sequencer {
	switch d := d.(type) {
	case command.OpenNode:
		return d.Fence
	case command.GetContents:
		return d.Fence
	case command.GetStat:
		return d.Fence
	case command.ReadDir:
		return d.Fence
	case command.SetContents:
		return d.Fence
	case command.SetACL:
		return d.Fence
	case command.DeleteNode:
		return d.Fence
	case command.Acquire:
		return d.Fence
	case command.GetSequencer:
		return d.Fence
	case command.CheckSequencer:
		return d.Fence
	}
	return api.Sequencer{}
}

// IsOfMaster says that a master wants a command for itself, and that it takes turns with
// calls.
func IsOfMaster(c command.Command) bool {
	switch c.(type) {
	case command.DelayOver, command.Sweep, command.FailHandle:
		return true
	}
	return false
}
