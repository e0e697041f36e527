package nodeops

import (
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/acl"
	"github.com/chubbycell/chubby/replica/state/command"
)

// requiredRights returns the right that the handle of an op must have. Ops that only give something
// up, or tie the handle to a sequencer, need none.
func requiredRights(op api.Op) api.Rights {
	switch op := op.(type) {
	case api.GetContents:
		return acl.GetContentsAndStat.RequiredRight()
	case api.GetStat:
		return acl.GetStat.RequiredRight()
	case api.ReadDir:
		return acl.ReadDir.RequiredRight()
	case api.SetContents:
		return acl.SetContents.RequiredRight()
	case api.SetACL:
		return acl.SetACL.RequiredRight()
	case api.DeleteNode:
		return acl.Delete.RequiredRight()
	case api.Acquire:
		if op.Mode == api.Shared {
			return acl.AcquireShared.RequiredRight()
		}
		return acl.AcquireExclusive.RequiredRight()
	case api.GetSequencer:
		return acl.GetSequencer.RequiredRight()
	case api.CheckSequencer:
		return acl.CheckSequencer.RequiredRight()
	}
	return 0
}

// deedOf returns the node operation that an op asks for by handle h, and OK; or Invalid.
func deedOf(op api.Op, h handle.Handle) (command.NodeOp, api.Code) {
	n, f := h.Node, h.Fence
	switch op := op.(type) {
	case api.GetContents:
		return command.GetContents{Node: n, Fence: f}, api.OK
	case api.GetStat:
		return command.GetStat{Node: n, Fence: f}, api.OK
	case api.ReadDir:
		return command.ReadDir{Node: n, After: op.After, Most: op.Most, Fence: f}, api.OK
	case api.SetContents:
		return command.SetContents{Node: n, Contents: op.Contents, When: op.When, Fence: f}, api.OK
	case api.SetACL:
		return command.SetACL{Node: n, Names: op.Names, When: op.When, Fence: f}, api.OK
	case api.DeleteNode:
		return command.DeleteNode{Node: n, Fence: f}, api.OK
	case api.GetSequencer:
		return command.GetSequencer{Node: n, Handle: h.ID, Fence: f}, api.OK
	case api.CheckSequencer:
		if q, err := api.ParseSequencer(op.Sequencer); err == nil && q.Node == n {
			return command.CheckSequencer{Node: n, Sequencer: q, Fence: f}, api.OK
		}
	}
	return nil, api.Invalid
}
