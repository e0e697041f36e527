package api

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Tags of the details. A tag is never reused.
const (
	tagNoDetail byte = iota
	tagOpened
	tagNodeStat
	tagListing
	tagHeld
	tagSequenced
	tagLeased
)

func appendDetail(dst []byte, d Detail) []byte {
	switch d := d.(type) {
	case nil:
		return append(dst, tagNoDetail)
	case Opened:
		dst = appendString(append(dst, tagOpened), string(d.Token))
		dst = appendFlag(appendRef(dst, d.Node), d.Created)
		return appendMaybeStat(dst, d.Stat)
	case NodeStat:
		return AppendStat(append(dst, tagNodeStat), d.Stat)
	case Listing:
		return AppendChildren(appendFlag(append(dst, tagListing), d.More), d.Children)
	case Held:
		dst = binary.AppendUvarint(append(dst, tagHeld), uint64(d.Gen))
		return binary.AppendUvarint(dst, uint64(d.Acquisition))
	case Sequenced:
		return appendString(append(dst, tagSequenced), d.Sequencer.Encode())
	case Leased:
		dst = binary.AppendUvarint(append(dst, tagLeased), uint64(d.Lease))
		return appendEvents(appendFlag(dst, d.Failover), d)
	}
	panic(fmt.Sprintf("api: detail %T", d))
}

func (c *cursor) detail() Detail {
	switch tag := c.byte(); tag {
	case tagNoDetail:
		return nil
	case tagOpened:
		return Opened{Token: Token(c.string()), Node: c.ref(), Created: c.flag(), Stat: c.maybeStat()}
	case tagNodeStat:
		return NodeStat{Stat: c.stat()}
	case tagListing:
		return Listing{More: c.flag(), Children: c.children()}
	case tagHeld:
		return Held{Gen: LockGen(c.uint()), Acquisition: Acquisition(c.uint())}
	case tagSequenced:
		q, err := ParseSequencer(c.string())
		if err != nil {
			c.fail("%v", err)
		}
		return Sequenced{Sequencer: q}
	case tagLeased:
		return c.events(Leased{Lease: c.lease(), Failover: c.flag()})
	default:
		c.fail("detail %d", tag)
		return nil
	}
}

func (c *cursor) lease() time.Duration {
	d := c.uint()
	if d > uint64(MaxLease) {
		c.fail("a lease of %d ns", d)
		return 0
	}
	return time.Duration(d)
}

func appendRef(dst []byte, r Ref) []byte {
	return binary.AppendUvarint(AppendPath(dst, r.Path), uint64(r.Instance))
}

func (c *cursor) ref() Ref { return Ref{Path: c.path(), Instance: Instance(c.uint())} }

// appendMaybeStat appends metadata that may be missing, after a flag.
func appendMaybeStat(dst []byte, s Stat) []byte {
	if s == (Stat{}) {
		return appendFlag(dst, false)
	}
	return AppendStat(appendFlag(dst, true), s)
}

func (c *cursor) maybeStat() Stat {
	if !c.flag() {
		return Stat{}
	}
	return c.stat()
}
