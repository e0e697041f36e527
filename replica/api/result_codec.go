package api

import (
	"encoding/binary"
	"slices"
)

// AppendResult appends the bytes of r to dst.
func AppendResult(dst []byte, r Result) []byte {
	dst = appendFlag(append(slices.Grow(dst, r.room()), byte(r.Code)), r.Found)
	dst = appendString(dst, r.Value)
	dst = binary.AppendUvarint(dst, uint64(r.Session))
	dst = binary.AppendUvarint(dst, uint64(len(r.Pairs)))
	for _, p := range r.Pairs {
		dst = appendString(appendString(dst, p.Key), p.Value)
	}
	return appendDetail(dst, r.Detail)
}

// room returns the size of r's encoding, or a little more.
func (r *Result) room() int {
	const fixed, pair = 2 + 3*binary.MaxVarintLen64, 2 * binary.MaxVarintLen32
	n := fixed + len(r.Value)
	for i := range r.Pairs {
		n += pair + len(r.Pairs[i].Key) + len(r.Pairs[i].Value)
	}
	return n
}

// DecodeResult decodes the result at the beginning of s and returns the rest of s. The result's
// strings are parts of s; if there are no pairs, the slice is nil.
func DecodeResult(s string) (r Result, rest string, err error) {
	c := cursor{s: s}
	r = c.result()
	if c.err != nil {
		return Result{}, "", c.err
	}
	return r, s[c.at:], nil
}

func (c *cursor) result() Result {
	r := Result{Code: Code(c.byte())}
	if !r.Code.Valid() {
		c.fail("%v", r.Code)
	}
	r.Found = c.flag()
	r.Value = c.string()
	r.Session = SessionID(c.uint())
	n := c.count(2) // two lengths are the least a pair takes
	if n > MaxListPairs {
		c.fail("%d pairs", n)
		return r
	}
	if n > 0 {
		r.Pairs = make([]Pair, n)
	}
	for i := range r.Pairs {
		r.Pairs[i] = Pair{Key: c.string(), Value: c.string()}
	}
	r.Detail = c.detail()
	return r
}
