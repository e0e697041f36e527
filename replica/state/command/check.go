package command

import (
	"strings"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// check returns OK, or the code with which the command is refused whatever the rows are.
func check(c Command) api.Code {
	switch c := c.(type) {
	case Call:
		return checkCall(c)
	case NodeCommand:
		return checkNodeCommand(c)
	case Constant:
		if c.Name == "" {
			return api.Invalid
		}
		if len(c.Name) > MaxConstantName || len(c.Value) > MaxConstantValue {
			return api.TooLarge
		}
	case Epoch:
		return codeOf(c.Master != 0)
	case Found:
		return codeOf(c.Secret != [32]byte{})
	case Expire:
		return codeOf(c.Session != 0)
	case FailHandle:
		return codeOf(c.owner().Valid())
	case DelayOver:
		return codeOf(c.Node.Instance != 0 && c.Freed != 0)
	case Sweep:
		return checkNode(c.Node)
	case Backup:
		return codeOf(c.Done.Elapsed >= 0)
	case SetLimits:
		return codeOf(c.Sessions <= rows.MaxSessions && c != SetLimits{Guard: c.Guard})
	case LongestLease:
		return codeOf(0 < c.Lease && c.Lease <= api.MaxLease)
	}
	return api.OK
}

func codeOf(is bool) api.Code {
	if !is {
		return api.Invalid
	}
	return api.OK
}

// isLogged reports whether an op stands in the log as it is, in a Call.
func isLogged(op api.Op) bool {
	switch op.(type) {
	case api.OpenSession, api.EndSession, api.Get, api.Put, api.Delete, api.CompareAndSet, api.List:
		return true
	}
	return false
}

func checkCall(c Call) api.Code {
	if !isLogged(c.Op) {
		return api.Invalid
	}
	if _, opens := c.Op.(api.OpenSession); c.Principal != "" && (!opens || c.Principal.Check() != api.OK) {
		return api.Invalid
	}
	return api.Request{Session: c.Session, Seq: c.Seq, AckedThrough: c.AckedThrough, Op: c.Op}.Check()
}

func checkNodeCommand(c NodeCommand) api.Code {
	if c.Op == nil || c.Session == 0 || c.Seq <= c.AckedThrough || c.Seq-c.AckedThrough > api.MaxWindow {
		return api.Invalid
	}
	if d, ok := c.Op.(CancelAcquire); ok && (d.Call <= c.AckedThrough || d.Call >= c.Seq) {
		return api.Invalid
	}
	if f := fenceOf(c.Op); f != (api.Sequencer{}) && !f.Valid() {
		return api.Invalid
	}
	return c.Op.check()
}

func checkNode(n api.Ref) api.Code { return codeOf(n.Instance != 0) }

func checkOwned(n api.Ref, h api.HandleID) api.Code {
	return codeOf(n.Instance != 0 && h != api.HandleID{})
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
	return codeOf(d.Node.Instance != 0 && d.Sequencer.Valid() && d.Sequencer.Node == d.Node)
}

func (d Fail) check() api.Code {
	return codeOf(d.Code != api.OK && d.Code.Execution() == api.Executed)
}
