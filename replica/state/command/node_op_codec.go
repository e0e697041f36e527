package command

import (
	"fmt"
	"math"
	"time"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// Tags of the node operations. A tag is never used for another operation.
const (
	tagOpenNode byte = 1 + iota
	tagGetContents
	tagGetStat
	tagReadDir
	tagSetContents
	tagSetACL
	tagDeleteNode
	tagAcquire
	tagRelease
	tagCancelAcquire
	tagCloseHandle
	tagGetSequencer
	tagCheckSequencer
	tagFail
)

func appendNodeOp(dst []byte, d NodeOp) []byte {
	on := func(tag byte, n api.Ref) []byte { return appendNode(append(dst, tag), n) }
	switch d := d.(type) {
	case OpenNode:
		return appendOpenNode(on(tagOpenNode, d.Dir), d)
	case GetContents:
		return appendFence(on(tagGetContents, d.Node), d.Fence)
	case GetStat:
		return appendFence(on(tagGetStat, d.Node), d.Fence)
	case ReadDir:
		return appendFence(appendUints(appendString(on(tagReadDir, d.Node), d.After), d.Most), d.Fence)
	case SetContents:
		dst = appendString(on(tagSetContents, d.Node), d.Contents)
		return appendFence(appendUints(dst, uint64(d.When)), d.Fence)
	case SetACL:
		dst = api.AppendACLNames(on(tagSetACL, d.Node), d.Names)
		return appendFence(appendUints(dst, uint64(d.When)), d.Fence)
	case DeleteNode:
		return appendFence(on(tagDeleteNode, d.Node), d.Fence)
	case Acquire:
		dst = append(appendHandle(on(tagAcquire, d.Node), d.Handle), byte(d.Mode))
		return appendFence(appendFlag(appendUints(dst, uint64(d.Delay)), d.Wait), d.Fence)
	case Release:
		return appendUints(appendHandle(on(tagRelease, d.Node), d.Handle), uint64(d.Acquisition))
	case CancelAcquire:
		return appendUints(appendHandle(on(tagCancelAcquire, d.Node), d.Handle), uint64(d.Call))
	case CloseHandle:
		return appendHandle(on(tagCloseHandle, d.Node), d.Handle)
	case GetSequencer:
		return appendFence(appendHandle(on(tagGetSequencer, d.Node), d.Handle), d.Fence)
	case CheckSequencer:
		return appendFence(appendFence(on(tagCheckSequencer, d.Node), d.Sequencer), d.Fence)
	case Fail:
		return append(dst, tagFail, byte(d.Code))
	}
	panic(fmt.Sprintf("command: node operation %T", d))
}

func (r *reader) nodeOp() NodeOp {
	switch tag := r.byte(); tag {
	case tagOpenNode:
		return r.openNode()
	case tagGetContents:
		return GetContents{Node: r.ref(), Fence: r.fence()}
	case tagGetStat:
		return GetStat{Node: r.ref(), Fence: r.fence()}
	case tagReadDir:
		return ReadDir{Node: r.ref(), After: r.string(), Most: r.uint(), Fence: r.fence()}
	case tagSetContents:
		return SetContents{Node: r.ref(), Contents: r.string(), When: api.ContentGen(r.uint()), Fence: r.fence()}
	case tagSetACL:
		return SetACL{Node: r.ref(), Names: r.names(), When: api.ACLGen(r.uint()), Fence: r.fence()}
	case tagDeleteNode:
		return DeleteNode{Node: r.ref(), Fence: r.fence()}
	case tagAcquire:
		return Acquire{Node: r.ref(), Handle: r.handle(), Mode: api.Mode(r.byte()), Delay: r.delay(), Wait: r.flag(), Fence: r.fence()}
	case tagRelease:
		return Release{Node: r.ref(), Handle: r.handle(), Acquisition: api.Acquisition(r.uint())}
	case tagCancelAcquire:
		return CancelAcquire{Node: r.ref(), Handle: r.handle(), Call: api.Seq(r.uint())}
	case tagCloseHandle:
		return CloseHandle{Node: r.ref(), Handle: r.handle()}
	case tagGetSequencer:
		return GetSequencer{Node: r.ref(), Handle: r.handle(), Fence: r.fence()}
	case tagCheckSequencer:
		return CheckSequencer{Node: r.ref(), Sequencer: r.fence(), Fence: r.fence()}
	case tagFail:
		return Fail{Code: api.Code(r.byte())}
	default:
		r.fail("node operation %d", tag)
		return nil
	}
}

// appendOpenNode appends what follows the directory.
func appendOpenNode(dst []byte, d OpenNode) []byte {
	dst = append(api.AppendPath(dst, d.Path), byte(d.Rights), byte(d.Create), byte(d.Kind))
	dst = appendString(appendFlag(dst, d.Ephemeral), d.Contents)
	return appendFence(api.AppendACLNames(dst, d.Names), d.Fence)
}

func (r *reader) openNode() OpenNode {
	return OpenNode{Dir: r.ref(), Path: r.path(), Rights: api.Rights(r.byte()), Create: api.Creation(r.byte()),
		Kind: api.NodeKind(r.byte()), Ephemeral: r.flag(), Contents: r.string(), Names: r.names(), Fence: r.fence()}
}

func appendFounding(dst []byte, f tree.Founding) []byte {
	dst = api.AppendACLNames(api.AppendACLNames(dst, f.Root), f.ACL)
	dst = appendUints(dst, uint64(len(f.Files)))
	for _, file := range f.Files {
		dst = appendString(appendString(dst, string(file.Name)), file.Contents)
		dst = api.AppendACLNames(dst, file.Names)
	}
	return appendLimits(dst, f.Limits)
}

func appendLimits(dst []byte, l tree.Limits) []byte {
	return appendUints(dst, l.Principal.Nodes, l.Principal.Bytes, l.Directory.Nodes, l.Directory.Bytes)
}

func (r *reader) limits() tree.Limits {
	return tree.Limits{
		Principal: tree.Usage{Nodes: r.uint(), Bytes: r.uint()},
		Directory: tree.Usage{Nodes: r.uint(), Bytes: r.uint()},
	}
}

func (r *reader) founding() tree.Founding {
	f := tree.Founding{Root: r.names(), ACL: r.names()}
	n := r.uint()
	if n > uint64(len(r.s)/5) { // each file takes at least 5 bytes
		r.fail("%d files in %d bytes", n, len(r.s))
	}
	for i := uint64(0); i < n && r.err == nil; i++ {
		f.Files = append(f.Files, tree.FoundingFile{Name: api.ACLName(r.string()), Contents: r.string(), Names: r.names()})
	}
	f.Limits = r.limits()
	return f
}

func appendNode(dst []byte, n api.Ref) []byte {
	return appendUints(api.AppendPath(dst, n.Path), uint64(n.Instance))
}

func (r *reader) ref() api.Ref { return api.Ref{Path: r.path(), Instance: api.Instance(r.uint())} }

func (r *reader) path() api.Path {
	if r.err != nil {
		return api.Path{}
	}
	p, rest, err := api.DecodePath(r.s)
	if err != nil {
		r.fail("%v", err)
		return api.Path{}
	}
	r.s = rest
	return p
}

func appendHandle(dst []byte, h api.HandleID) []byte {
	return appendUints(dst, uint64(h.Epoch), h.Counter)
}

func (r *reader) handle() api.HandleID {
	return api.HandleID{Epoch: api.Epoch(r.uint()), Counter: r.uint()}
}

func (r *reader) names() api.ACLNames {
	return api.ACLNames{Read: api.ACLName(r.string()), Write: api.ACLName(r.string()), Change: api.ACLName(r.string())}
}

// appendFence appends a sequencer, or an empty string if there is none.
func appendFence(dst []byte, q api.Sequencer) []byte {
	if q == (api.Sequencer{}) {
		return append(dst, 0)
	}
	return appendString(dst, q.Encode())
}

func (r *reader) fence() api.Sequencer {
	text := r.string()
	if text == "" {
		return api.Sequencer{}
	}
	q, err := api.ParseSequencer(text)
	if err != nil {
		r.fail("%v", err)
	}
	return q
}

func (r *reader) secret() (secret [32]byte) {
	if len(r.s) < len(secret) {
		r.fail("a secret of %d bytes", len(r.s))
		return secret
	}
	copy(secret[:], r.s)
	r.s = r.s[len(secret):]
	return secret
}

func (r *reader) delay() api.LockDelay {
	x := r.uint()
	if x > math.MaxUint32 {
		r.fail("a lock-delay of %d ms", x)
	}
	return api.LockDelay(x)
}

func (r *reader) duration() time.Duration {
	x := r.uint()
	if x > math.MaxInt64 {
		r.fail("%d ns", x)
		return 0
	}
	return time.Duration(x)
}

func (r *reader) byte() byte {
	if r.s == "" {
		r.fail("ends early")
		return 0
	}
	b := r.s[0]
	r.s = r.s[1:]
	return b
}

func (r *reader) flag() bool {
	b := r.byte()
	if b > 1 {
		r.fail("flag is %d", b)
	}
	return b == 1
}

func appendFlag(dst []byte, f bool) []byte {
	if f {
		return append(dst, 1)
	}
	return append(dst, 0)
}
