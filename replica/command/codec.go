package command

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/rows"
)

// The bytes of a command. Numbers are unsigned varints in their shortest form,
// strings a varint length and that many bytes; exactly one sequence of bytes
// stands for one command.
//
//	2 'E' master round node                   Epoch
//	2 'C' guard session seq seen op           Call; op as in package api
//	2 'C' guard 0 0 0 op principal            Call of OpenSession
//	2 'K' guard name value                    Constant
//	2 'S'                                     Checksum
//
// The first byte is the version. Replicas of one cell must know the same
// versions: what one refuses as malformed and another executes, divides them.
const (
	version = 2

	kindEpoch    byte = 'E'
	kindCall     byte = 'C'
	kindConstant byte = 'K'
	kindChecksum byte = 'S'
)

// ErrMalformed is what Decode returns, wrapped with the reason, for bytes that
// are no command.
var ErrMalformed = errors.New("malformed command")

// Append appends the bytes of c, which must not be nil, to dst. Of a Call that
// opens no session the Principal has no bytes.
func Append(dst []byte, c Command) []byte {
	switch c := c.(type) {
	case Epoch:
		dst = binary.AppendUvarint(append(dst, version, kindEpoch), uint64(c.Master))
		dst = binary.AppendUvarint(dst, c.Ballot.Round)
		return binary.AppendUvarint(dst, uint64(c.Ballot.Node))
	case Call:
		dst = binary.AppendUvarint(append(dst, version, kindCall), uint64(c.Guard))
		dst = binary.AppendUvarint(dst, uint64(c.Session))
		dst = binary.AppendUvarint(dst, uint64(c.Seq))
		dst = binary.AppendUvarint(dst, uint64(c.Seen))
		dst = api.AppendOp(dst, c.Op)
		if _, opens := c.Op.(api.OpenSession); opens {
			dst = appendString(dst, string(c.Principal))
		}
		return dst
	case Constant:
		dst = binary.AppendUvarint(append(dst, version, kindConstant), uint64(c.Guard))
		dst = appendString(dst, c.Name)
		return appendString(dst, c.Value)
	case Checksum:
		return append(dst, version, kindChecksum)
	}
	panic(fmt.Sprintf("command: Append of %T", c))
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Decode is the inverse of Append. The command's strings are parts of raw. What
// it returns is well formed, not necessarily allowed.
func Decode(raw string) (Command, error) {
	if len(raw) < 2 || raw[0] != version {
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

// reader takes b apart from the front. After the first error it reads zeroes.
type reader struct {
	s   string
	err error
}

func (r *reader) command(kind byte) Command {
	switch kind {
	case kindEpoch:
		return Epoch{Master: r.node(), Ballot: rows.Ballot{Round: r.uint(), Node: r.node()}}
	case kindCall:
		c := Call{Guard: api.Epoch(r.uint()), Session: api.SessionID(r.uint()),
			Seq: api.Seq(r.uint()), Seen: api.Seq(r.uint()), Op: r.op()}
		if _, opens := c.Op.(api.OpenSession); opens {
			c.Principal = api.Principal(r.string())
		}
		return c
	case kindConstant:
		return Constant{Guard: api.Epoch(r.uint()), Name: r.string(), Value: r.string()}
	case kindChecksum:
		return Checksum{}
	}
	r.fail("kind %q", kind)
	return nil
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
