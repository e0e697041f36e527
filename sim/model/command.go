package model

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
)

// FenceIn returns the sequencer to which the handle of a node operation is tied, or the zero
// Sequencer.
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

// IsOfMaster reports whether a master proposes a command for the cell's own upkeep, through
// the same fair queue as calls.
func IsOfMaster(c command.Command) bool {
	switch c.(type) {
	case command.DelayOver, command.Sweep, command.FailHandle:
		return true
	}
	return false
}
