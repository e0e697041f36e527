package command

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
)

// check says OK, or with which code the command is refused whatever the rows
// are.
func check(c Command) api.Code {
	switch c := c.(type) {
	case Call:
		return checkCall(c)
	case Act:
		return checkAct(c)
	case Constant:
		if c.Name == "" {
			return api.Invalid
		}
		if len(c.Name) > MaxConstantName || len(c.Value) > MaxConstantValue {
			return api.TooLarge
		}
	case Epoch:
		return valid(c.Master != 0)
	case Found:
		return valid(c.Secret != [32]byte{})
	case Expire:
		return valid(c.Session != 0)
	case FailHandle:
		return valid(c.owner().Valid())
	case DelayOver:
		return valid(c.Node.Instance != 0 && c.Freed != 0)
	case Sweep:
		return checkNode(c.Node)
	case Backup:
		return valid(c.Done.Elapsed >= 0)
	case LongestLease:
		return valid(0 < c.Lease && c.Lease <= api.MaxLease)
	}
	return api.OK
}

func valid(is bool) api.Code {
	if !is {
		return api.Invalid
	}
	return api.OK
}

// takes says that an op stands in the log as it is.
func takes(op api.Op) bool {
	switch op.(type) {
	case api.OpenSession, api.EndSession, api.Get, api.Put, api.Delete, api.CompareAndSet, api.List:
		return true
	}
	return false
}

func checkCall(c Call) api.Code {
	if !takes(c.Op) {
		return api.Invalid
	}
	if _, opens := c.Op.(api.OpenSession); c.Principal != "" && (!opens || c.Principal.Check() != api.OK) {
		return api.Invalid
	}
	return api.Request{Session: c.Session, Seq: c.Seq, Seen: c.Seen, Op: c.Op}.Check()
}

func checkAct(c Act) api.Code {
	if c.Deed == nil || c.Session == 0 || c.Seq <= c.Seen || c.Seq-c.Seen > api.MaxWindow {
		return api.Invalid
	}
	if d, ok := c.Deed.(CancelAcquire); ok && (d.Call <= c.Seen || d.Call >= c.Seq) {
		return api.Invalid
	}
	if f := fenceOf(c.Deed); f != (api.Sequencer{}) && !f.Valid() {
		return api.Invalid
	}
	return c.Deed.check()
}

func checkNode(n api.Ref) api.Code { return valid(n.Instance != 0) }

func checkOwned(n api.Ref, h api.HandleID) api.Code {
	return valid(n.Instance != 0 && h != api.HandleID{})
}

func (d OpenNode) check() api.Code {
	below := d.Path == d.Dir.Path || d.Dir.Path.IsRoot() ||
		strings.HasPrefix(d.Path.String(), d.Dir.Path.String()+"/")
	if d.Dir.Instance == 0 && !d.Dir.Path.IsRoot() || !below {
		return api.Invalid
	}
	return api.Open{Rights: d.Rights, Create: d.Create, Kind: d.Kind, Ephemeral: d.Ephemeral, Contents: d.Contents, Names: d.Names}.Check()
}

func (d GetContents) check() api.Code { return checkNode(d.Node) }
func (d GetStat) check() api.Code     { return checkNode(d.Node) }
func (d DeleteNode) check() api.Code  { return checkNode(d.Node) }

func (d ReadDir) check() api.Code {
	if d.After != "" && api.CheckComponent(d.After) != api.OK {
		return api.Invalid
	}
	return checkNode(d.Node)
}

func (d SetContents) check() api.Code {
	if len(d.Contents) > api.MaxContents {
		return api.TooLarge
	}
	return checkNode(d.Node)
}

func (d SetACL) check() api.Code {
	if d.Names.Check() != api.OK {
		return api.Invalid
	}
	return checkNode(d.Node)
}

func (d Acquire) check() api.Code {
	if !d.Mode.Valid() {
		return api.Invalid
	}
	return checkOwned(d.Node, d.Handle)
}

func (d Release) check() api.Code {
	if d.Acquisition == 0 {
		return api.Invalid
	}
	return checkOwned(d.Node, d.Handle)
}

func (d CancelAcquire) check() api.Code { return checkOwned(d.Node, d.Handle) }
func (d CloseHandle) check() api.Code   { return checkOwned(d.Node, d.Handle) }
func (d GetSequencer) check() api.Code  { return checkOwned(d.Node, d.Handle) }

func (d CheckSequencer) check() api.Code {
	return valid(d.Node.Instance != 0 && d.Sequencer.Valid() && d.Sequencer.Node == d.Node)
}

func (d Fail) check() api.Code {
	return valid(d.Code != api.OK && d.Code.Execution() == api.Executed)
}
