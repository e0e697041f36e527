package handles

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// means says that an op, by a token that was given out, is what a deed does.
func (b *Grips) means(op api.Op, deed command.NodeOp) bool {
	if _, fails := deed.(command.Fail); fails {
		return true
	}
	token, on := model.TokenIn(op)
	g := b.Given[token]
	if on && g == nil {
		g = &model.Grip{}
		if parsed, ok := GripBy(token); ok {
			g = parsed // forged: it is said what is wrong with it
		}
	}
	switch op := op.(type) {
	case api.Open:
		d, ok := deed.(command.OpenNode)
		return ok && d.Rights == op.Rights && (op.Dir != "" || d.Path.String() == "/"+op.Path)
	case api.GetContents:
		d, ok := deed.(command.GetContents)
		return ok && d.Node == g.Node
	case api.GetStat:
		d, ok := deed.(command.GetStat)
		return ok && d.Node == g.Node
	case api.ReadDir:
		d, ok := deed.(command.ReadDir)
		return ok && d.Node == g.Node && d.After == op.After && d.Most == op.Most
	case api.SetContents:
		d, ok := deed.(command.SetContents)
		return ok && d.Node == g.Node && d.Contents == op.Contents && d.When == op.When
	case api.SetACL:
		d, ok := deed.(command.SetACL)
		return ok && d.Node == g.Node && d.Names == op.Names && d.When == op.When
	case api.DeleteNode:
		d, ok := deed.(command.DeleteNode)
		return ok && d.Node == g.Node
	}
	return meansLock(op, deed, g)
}

func meansLock(op api.Op, deed command.NodeOp, g *model.Grip) bool {
	switch op := op.(type) {
	case api.Acquire:
		d, ok := deed.(command.Acquire)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Mode == op.Mode && d.Wait == op.Wait
	case api.Release:
		d, ok := deed.(command.Release)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Acquisition == op.Acquisition
	case api.CancelAcquire:
		d, ok := deed.(command.CancelAcquire)
		return ok && d.Node == g.Node && d.Handle == g.ID && d.Call == op.Call
	case api.CloseHandle:
		d, ok := deed.(command.CloseHandle)
		return ok && d.Node == g.Node && d.Handle == g.ID
	case api.GetSequencer:
		d, ok := deed.(command.GetSequencer)
		return ok && d.Node == g.Node && d.Handle == g.ID
	case api.CheckSequencer:
		d, ok := deed.(command.CheckSequencer)
		return ok && d.Node == g.Node
	case api.SetSequencer:
		_, ok := deed.(command.CheckSequencer)
		return ok
	}
	return false
}
