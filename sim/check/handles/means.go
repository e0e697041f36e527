package handles

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// matches reports whether a node operation of a command is what a request with a given token
// asks for.
func (b *Grips) matches(op api.Op, nodeOp command.NodeOp) bool {
	if _, fails := nodeOp.(command.Fail); fails {
		return true
	}
	token, on := model.TokenIn(op)
	g := b.Given[token]
	if on && g == nil {
		g = &model.Grip{}
		if parsed, ok := GripBy(token); ok {
			g = parsed // forged: faultOf says so
		}
	}
	switch op := op.(type) {
	case api.Open:
		d, ok := nodeOp.(command.OpenNode)
		return ok && d.Rights == op.Rights && (op.Dir != "" || d.Path.String() == "/"+op.Path)
	case api.GetContents:
		d, ok := nodeOp.(command.GetContents)
		return ok && d.Node == g.Node
	case api.GetStat:
		d, ok := nodeOp.(command.GetStat)
		return ok && d.Node == g.Node
	case api.ReadDir:
		d, ok := nodeOp.(command.ReadDir)
		return ok && d.Node == g.Node && d.After == op.After && d.Most == op.Most
	case api.SetContents:
		d, ok := nodeOp.(command.SetContents)
		return ok && d.Node == g.Node && d.Contents == op.Contents && d.When == op.When
	case api.SetACL:
		d, ok := nodeOp.(command.SetACL)
		return ok && d.Node == g.Node && d.Names == op.Names && d.When == op.When
	case api.DeleteNode:
		d, ok := nodeOp.(command.DeleteNode)
		return ok && d.Node == g.Node
	}
	return matchesLock(op, nodeOp, g)
}

func matchesLock(op api.Op, nodeOp command.NodeOp, g *model.Grip) bool {
	switch op := op.(type) {
	case api.Acquire:
		d, ok := nodeOp.(command.Acquire)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Mode == op.Mode && d.Wait == op.Wait
	case api.Release:
		d, ok := nodeOp.(command.Release)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Acquisition == op.Acquisition
	case api.CancelAcquire:
		d, ok := nodeOp.(command.CancelAcquire)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Call == op.Call
	case api.CloseHandle:
		d, ok := nodeOp.(command.CloseHandle)
		return ok && d.Node == g.Node && d.Handle == g.ID
	case api.GetSequencer:
		d, ok := nodeOp.(command.GetSequencer)
		return ok && d.Node == g.Node && d.Handle == g.ID
	case api.CheckSequencer:
		d, ok := nodeOp.(command.CheckSequencer)
		return ok && d.Node == g.Node
	case api.SetSequencer:
		_, ok := nodeOp.(command.CheckSequencer)
		return ok
	}
	return false
}
