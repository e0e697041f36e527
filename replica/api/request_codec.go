package api

import (
	"encoding/binary"
	"math"
)

const (
	kindRequest byte = 'Q'
	kindReply   byte = 'A'
)

// AppendRequest appends the bytes of q, in the newest version, to dst. q.Op must not be nil.
func AppendRequest(dst []byte, q Request) []byte { return appendRequest(dst, NewestVersion, q) }

func appendRequest(dst []byte, v byte, q Request) []byte {
	dst = append(dst, v, kindRequest)
	dst = binary.AppendUvarint(dst, q.ID)
	dst = binary.AppendUvarint(dst, uint64(q.Session))
	dst = binary.AppendUvarint(dst, uint64(q.Seq))
	dst = binary.AppendUvarint(dst, uint64(q.AckedThrough))
	dst = binary.AppendUvarint(dst, uint64(q.Epoch))
	return AppendOp(appendFlag(dst, q.MayCache), q.Op)
}

// DecodeRequest is the inverse of AppendRequest. The request shares no memory with b. It is well
// formed, but not necessarily allowed: Request.Check returns the code with which to refuse it.
func DecodeRequest(b []byte) (Request, error) {
	c := read(b)
	c.open(messages, kindRequest)
	q := Request{ID: c.uint(), Session: SessionID(c.uint()), Seq: Seq(c.uint()), AckedThrough: Seq(c.uint()), Epoch: Epoch(c.uint()),
		MayCache: c.flag(), Op: c.op()}
	if err := c.close(); err != nil {
		return Request{}, err
	}
	return q, nil
}

// IsKeepAlive reports whether b begins like a KeepAlive. b may be any bytes.
func IsKeepAlive(b []byte) bool {
	if len(b) < 2 || !messages.Has(b[0]) || b[1] != kindRequest {
		return false
	}
	b = b[2:]
	for range 6 { // the fields of Request before its op; the flag is encoded like a small number
		_, n := binary.Uvarint(b)
		if n <= 0 {
			return false
		}
		b = b[n:]
	}
	return len(b) > 0 && b[0] == tagKeepAlive
}

// AppendReply appends the bytes of p, in the newest version, to dst.
func AppendReply(dst []byte, p Reply) []byte { return appendReply(dst, NewestVersion, p) }

func appendReply(dst []byte, v byte, p Reply) []byte {
	dst = append(dst, v, kindReply)
	dst = binary.AppendUvarint(dst, p.ID)
	dst = binary.AppendUvarint(dst, uint64(p.Session))
	dst = binary.AppendUvarint(dst, uint64(p.Seq))
	dst = binary.AppendUvarint(dst, uint64(p.Epoch))
	dst = binary.AppendUvarint(dst, uint64(p.Master))
	if dst = appendFlag(dst, p.Cacheable); p.Cacheable {
		dst = binary.AppendUvarint(dst, uint64(p.Drops))
	}
	return AppendResult(dst, p.Result)
}

// DecodeReply is the inverse of AppendReply. The reply shares no memory with b.
func DecodeReply(b []byte) (Reply, error) {
	c := read(b)
	c.open(messages, kindReply)
	p := Reply{ID: c.uint(), Session: SessionID(c.uint()), Seq: Seq(c.uint()), Epoch: Epoch(c.uint())}
	master := c.uint()
	if master > math.MaxUint32 {
		c.fail("replica %d", master)
	}
	p.Master = uint32(master)
	if p.Cacheable = c.flag(); p.Cacheable {
		p.Drops = DropNumber(c.uint())
	}
	p.Result = c.result()
	if err := c.close(); err != nil {
		return Reply{}, err
	}
	return p, nil
}
