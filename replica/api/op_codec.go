package api

import (
	"encoding/binary"
	"fmt"
)

// Tags of the ops; never given to another one.
const (
	tagOpenSession byte = 1 + iota
	tagEndSession
	tagGet
	tagPut
	tagDelete
	tagCompareAndSet
	tagList
)

// AppendOp appends the bytes of op, which must not be nil, to dst. It encodes
// what it is given; Check is the caller's.
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
	}
	panic(fmt.Sprintf("api: AppendOp of %T", op))
}

// DecodeOp decodes the op that s begins with and returns what follows it. The
// op's strings are parts of s.
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
	default:
		c.fail("op %d", tag)
		return nil
	}
}
