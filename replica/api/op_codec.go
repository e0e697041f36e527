package api

import "encoding/binary"

// Tags of the ops. A tag is never reused.
const (
	tagOpenSession byte = 1 + iota
	tagEndSession
	tagGet
	tagPut
	tagDelete
	tagCompareAndSet
	tagList
	tagOpen
	tagCloseHandle
	tagPoison
	tagGetContents
	tagGetStat
	tagReadDir
	tagSetContents
	tagSetACL
	tagDeleteNode
	tagAcquire
	tagRelease
	tagCancelAcquire
	tagGetSequencer
	tagSetSequencer
	tagCheckSequencer
	tagKeepAlive
)

// IsOp reports whether tag, the first byte of an encoding, is the tag of an op.
func IsOp(tag byte) bool { return tagOpenSession <= tag && tag <= tagKeepAlive }

// AppendOp appends the bytes of op, which must not be nil, to dst. It does not call Check: that is
// up to the caller.
func AppendOp(dst []byte, op Op) []byte {
	switch o := op.(type) {
	case OpenSession:
		dst = binary.AppendUvarint(append(dst, tagOpenSession), o.Nonce[0])
		return binary.AppendUvarint(dst, o.Nonce[1])
	case EndSession:
		return append(dst, tagEndSession)
	case Get:
		return appendString(append(dst, tagGet), o.Key)
	case Put:
		return appendString(appendString(append(dst, tagPut), o.Key), o.Value)
	case Delete:
		return appendString(append(dst, tagDelete), o.Key)
	case CompareAndSet:
		dst = appendFlag(appendString(append(dst, tagCompareAndSet), o.Key), o.Absent)
		return appendString(appendString(dst, o.Expect), o.Value)
	case List:
		return appendString(append(dst, tagList), o.Prefix)
	case KeepAlive:
		return appendKeepAlive(dst, o)
	}
	return appendNodeOp(dst, op)
}

// DecodeOp decodes the op at the beginning of s and returns the rest of s. The op's strings are
// parts of s.
func DecodeOp(s string) (op Op, rest string, err error) {
	c := cursor{s: s}
	op = c.op()
	if c.err != nil {
		return nil, "", c.err
	}
	return op, s[c.at:], nil
}

func (c *cursor) op() Op {
	switch tag := c.byte(); tag {
	case tagOpenSession:
		return OpenSession{Nonce: Nonce{c.uint(), c.uint()}}
	case tagEndSession:
		return EndSession{}
	case tagGet:
		return Get{Key: c.string()}
	case tagPut:
		return Put{Key: c.string(), Value: c.string()}
	case tagDelete:
		return Delete{Key: c.string()}
	case tagCompareAndSet:
		return CompareAndSet{Key: c.string(), Absent: c.flag(), Expect: c.string(), Value: c.string()}
	case tagList:
		return List{Prefix: c.string()}
	case tagKeepAlive:
		return c.keepAlive()
	default:
		return c.nodeOp(tag)
	}
}

func appendKeepAlive(dst []byte, o KeepAlive) []byte {
	dst = binary.AppendUvarint(append(dst, tagKeepAlive), uint64(o.AckedEpoch))
	dst = binary.AppendUvarint(dst, uint64(o.AckedEvents))
	dst = binary.AppendUvarint(appendFlag(dst, o.Now), uint64(len(o.Tokens)))
	for _, t := range o.Tokens {
		dst = appendString(dst, string(t))
	}
	return dst
}

func (c *cursor) keepAlive() Op {
	o := KeepAlive{AckedEpoch: Epoch(c.uint()), AckedEvents: EventNumber(c.uint()), Now: c.flag()}
	for range c.count(1) {
		o.Tokens = append(o.Tokens, c.token())
	}
	return o
}
