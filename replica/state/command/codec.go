package command

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// The bytes of a command. Numbers are unsigned varints in their shortest form,
// strings a varint length and that many bytes; exactly one sequence of bytes
// stands for one command.
//
//	3 'E' master round node                   Epoch
//	3 'C' guard session seq acked op          Call; op as in package api
//	3 'C' guard 0 0 0 op principal            Call of OpenSession
//	3 'K' guard name value                    Constant
//	3 'S'                                     Checksum
//	3 'A' guard session seq acked op          NodeCommand; op: a node operation, below
//	3 'F' guard secret founding               Found; secret: 32 bytes
//	3 'X' guard session                       Expire
//	3 'H' guard session handle                FailHandle
//	3 'D' guard node freed                    DelayOver
//	3 'W' guard node                          Sweep
//	3 'L' guard lease                         LongestLease, in ns
//	3 'O' guard                               ConfirmLeadership
//	3 'B' guard slot elapsed                  Backup, elapsed in ns
//	3 'M' guard 4 limits sessions             SetLimits
//
//	founding  names names n n*(name contents names) 4 limits
//	op        1 node path rights u8 create u8 kind u8 ephemeral contents names fence   OpenNode
//	          2 node fence                      GetContents
//	          3 node fence                      GetStat
//	          4 node after most fence           ReadDir
//	          5 node contents when fence        SetContents
//	          6 node names when fence           SetACL
//	          7 node fence                      DeleteNode
//	          8 node handle mode u8 delay wait fence   Acquire
//	          9 node handle acquisition         Release
//	          10 node handle seq                CancelAcquire
//	          11 node handle                    CloseHandle
//	          12 node handle fence              GetSequencer
//	          13 node sequencer fence           CheckSequencer
//	          14 code u8                        Fail
//	node      path instance
//	handle    epoch counter
//	names     read write change
//	fence     an empty string, or the sequencer's own bytes as one
//
// The first byte is the version. Replicas of one cell must know the same
// versions, kinds and operations: a command that one refuses as malformed and another executes
// makes their rows differ. Before a slot is applied, CheckKnown finds commands that this program
// does not know; a new kind must be added to kinds in known.go.
//
// A program that can do more in a command, or has a new kind, operation or effect, has a new NewestVersion, and writes it
// into the first byte of just these commands. It proposes none of them before the cell uses that version
// (core.Replica.Version), and until then its commands have the bytes of the older program.
const (
	OldestVersion byte = 3
	NewestVersion byte = 3

	version = OldestVersion

	kindEpoch    byte = 'E'
	kindCall     byte = 'C'
	kindConstant byte = 'K'
	kindChecksum byte = 'S'
	kindNode     byte = 'A'
	kindFound    byte = 'F'
	kindExpire   byte = 'X'
	kindFail     byte = 'H'
	kindDelay    byte = 'D'
	kindSweep    byte = 'W'
	kindLease    byte = 'L'
	kindConfirm  byte = 'O'
	kindBackup   byte = 'B'
	kindLimits   byte = 'M'
)

// ErrMalformed is returned by Decode, wrapped with the reason, for bytes that
// are no command.
var ErrMalformed = errors.New("malformed command")

// isVersion reports whether this program knows a version of commands.
func isVersion(v byte) bool { return v >= OldestVersion && v <= NewestVersion }

// Append appends the bytes of c, which must not be nil, to dst. The Principal of a Call is left
// out unless the Call opens a session.
func Append(dst []byte, c Command) []byte {
	switch c := c.(type) {
	case Epoch:
		return appendUints(append(dst, version, kindEpoch), uint64(c.Master), c.Ballot.Round, uint64(c.Ballot.Node))
	case Call:
		return appendCall(append(dst, version, kindCall), c)
	case Constant:
		dst = appendUints(append(dst, version, kindConstant), uint64(c.Guard))
		return appendString(appendString(dst, c.Name), c.Value)
	case Checksum:
		return append(dst, version, kindChecksum)
	case NodeCommand:
		dst = append(dst, version, kindNode)
		return appendNodeOp(appendUints(dst, uint64(c.Guard), uint64(c.Session), uint64(c.Seq), uint64(c.AckedThrough)), c.Op)
	case Found:
		dst = appendUints(append(dst, version, kindFound), uint64(c.Guard))
		return appendFounding(append(dst, c.Secret[:]...), c.Founding)
	case Expire:
		return appendUints(append(dst, version, kindExpire), uint64(c.Guard), uint64(c.Session))
	case FailHandle:
		return appendHandle(appendUints(append(dst, version, kindFail), uint64(c.Guard), uint64(c.Session)), c.Handle)
	case DelayOver:
		dst = appendNode(appendUints(append(dst, version, kindDelay), uint64(c.Guard)), c.Node)
		return appendUints(dst, uint64(c.Freed))
	case Sweep:
		return appendNode(appendUints(append(dst, version, kindSweep), uint64(c.Guard)), c.Node)
	case LongestLease:
		return appendUints(append(dst, version, kindLease), uint64(c.Guard), uint64(c.Lease))
	case ConfirmLeadership:
		return appendUints(append(dst, version, kindConfirm), uint64(c.Guard))
	case Backup:
		return appendUints(append(dst, version, kindBackup), uint64(c.Guard), c.Done.Slot, uint64(c.Done.Elapsed))
	case SetLimits:
		dst = appendLimits(appendUints(append(dst, version, kindLimits), uint64(c.Guard)), c.Nodes)
		return appendUints(dst, c.Sessions)
	}
	panic(fmt.Sprintf("command: Append of %T", c))
}

func appendCall(dst []byte, c Call) []byte {
	dst = appendUints(dst, uint64(c.Guard), uint64(c.Session), uint64(c.Seq), uint64(c.AckedThrough))
	dst = api.AppendOp(dst, c.Op)
	if _, opens := c.Op.(api.OpenSession); opens {
		dst = appendString(dst, string(c.Principal))
	}
	return dst
}

func appendUints(dst []byte, all ...uint64) []byte {
	for _, x := range all {
		dst = binary.AppendUvarint(dst, x)
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Decode is the inverse of Append. The command's strings are parts of raw. What
// it returns is well formed, not necessarily allowed.
func Decode(raw string) (Command, error) {
	if len(raw) < 2 || !isVersion(raw[0]) {
		return nil, fmt.Errorf("%w: %d bytes, version %.1q", ErrMalformed, len(raw), raw)
	}
	r := reader{s: raw[2:]}
	c := r.command(raw[1])
	if r.err == nil && len(r.s) > 0 {
		r.fail("%d bytes too many", len(r.s))
	}
	if r.err != nil {
		return nil, r.err
	}
	return c, nil
}

// reader takes s apart from the front. After the first error it reads zeroes.
type reader struct {
	s   string
	err error
}

func (r *reader) command(kind byte) Command {
	switch kind {
	case kindEpoch:
		return Epoch{Master: r.node(), Ballot: rows.Ballot{Round: r.uint(), Node: r.node()}}
	case kindCall:
		return r.call()
	case kindConstant:
		return Constant{Guard: r.guard(), Name: r.string(), Value: r.string()}
	case kindChecksum:
		return Checksum{}
	case kindNode:
		return NodeCommand{Guard: r.guard(), Session: api.SessionID(r.uint()), Seq: api.Seq(r.uint()), AckedThrough: api.Seq(r.uint()), Op: r.nodeOp()}
	case kindFound:
		return Found{Guard: r.guard(), Secret: r.secret(), Founding: r.founding()}
	case kindExpire:
		return Expire{Guard: r.guard(), Session: api.SessionID(r.uint())}
	case kindFail:
		return FailHandle{Guard: r.guard(), Session: api.SessionID(r.uint()), Handle: r.handle()}
	case kindDelay:
		return DelayOver{Guard: r.guard(), Node: r.ref(), Freed: api.Number(r.uint())}
	case kindSweep:
		return Sweep{Guard: r.guard(), Node: r.ref()}
	case kindLease:
		return LongestLease{Guard: r.guard(), Lease: r.duration()}
	case kindConfirm:
		return ConfirmLeadership{Guard: r.guard()}
	case kindBackup:
		return Backup{Guard: r.guard(), Done: rows.Backup{Slot: r.uint(), Elapsed: r.duration()}}
	case kindLimits:
		return SetLimits{Guard: r.guard(), Nodes: r.limits(), Sessions: r.uint()}
	}
	r.fail("kind %q", kind)
	return nil
}

func (r *reader) call() Call {
	c := Call{Guard: r.guard(), Session: api.SessionID(r.uint()), Seq: api.Seq(r.uint()), AckedThrough: api.Seq(r.uint()), Op: r.op()}
	if _, opens := c.Op.(api.OpenSession); opens {
		c.Principal = api.Principal(r.string())
	}
	return c
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
	}
	r.s = ""
}

func (r *reader) uint() uint64 {
	if r.err != nil {
		return 0
	}
	x, n := binary.Uvarint([]byte(r.s)) // makes no copy
	if n <= 0 || n > 1 && r.s[n-1] == 0 {
		r.fail("no number, or a longer form than needed")
		return 0
	}
	r.s = r.s[n:]
	return x
}

func (r *reader) guard() api.Epoch { return api.Epoch(r.uint()) }

func (r *reader) node() uint32 {
	x := r.uint()
	if x > 1<<32-1 {
		r.fail("replica %d", x)
	}
	return uint32(x)
}

func (r *reader) string() string {
	n := r.uint()
	if n > uint64(len(r.s)) {
		r.fail("string of %d bytes in %d", n, len(r.s))
		return ""
	}
	s := r.s[:n]
	r.s = r.s[n:]
	return s
}

func (r *reader) op() api.Op {
	if r.err != nil {
		return nil
	}
	op, rest, err := api.DecodeOp(r.s)
	if err != nil {
		r.fail("%v", err)
		return nil
	}
	r.s = rest
	return op
}
