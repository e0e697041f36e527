package paxos

import (
	"encoding/binary"
	"fmt"
	"time"
)

// Kinds of records on disk. They are part of the log's format: never reused.
const (
	RecordBooted uint8 = iota + 1
	RecordPromised
	RecordVoted
	RecordLearned
	RecordSettled
)

// tagSize is the size of every tag: two numbers and a node.
const tagSize = 20

// EncodeRecord splits a record into its tag (small; a log keeps it readable even if the data rots)
// and its data. It panics for Unreadable and Unlearned, which are never written.
//
//	kind      tag (big endian)                     data
//	Booted    boot(8) grant in ns(8) 0(4)          -
//	Promised  0(8) round(8) node(4)                -
//	Voted     slot(8) round(8) node(4)             value
//	Learned   slot(8) 0(8) 0(4)                    value
//	Settled   from(8) to(8) 0(4)                   -
func EncodeRecord(r Record) (kind uint8, tag [tagSize]byte, data string) {
	put := func(a, b uint64, node NodeID) {
		binary.BigEndian.PutUint64(tag[0:], a)
		binary.BigEndian.PutUint64(tag[8:], b)
		binary.BigEndian.PutUint32(tag[16:], uint32(node))
	}
	switch r := r.(type) {
	case Booted:
		put(uint64(r.Boot), uint64(r.Grant), 0)
		return RecordBooted, tag, ""
	case Promised:
		put(0, r.Ballot.Round, r.Ballot.Node)
		return RecordPromised, tag, ""
	case Voted:
		put(uint64(r.Slot), r.Ballot.Round, r.Ballot.Node)
		return RecordVoted, tag, string(r.Value)
	case Learned:
		put(uint64(r.Slot), 0, 0)
		return RecordLearned, tag, string(r.Value)
	case Settled:
		put(uint64(r.Slots.From), uint64(r.Slots.To), 0)
		return RecordSettled, tag, ""
	}
	panic(fmt.Sprintf("paxos: record %T has no encoding", r))
}

// DecodeRecord is the inverse of EncodeRecord; its error names the malformed field. The
// record shares the memory of data.
func DecodeRecord(kind uint8, tag []byte, data string) (Record, error) {
	if len(tag) != tagSize {
		return nil, fmt.Errorf("paxos: record kind %d with a tag of %d bytes", kind, len(tag))
	}
	a, b := binary.BigEndian.Uint64(tag), binary.BigEndian.Uint64(tag[8:])
	ballot := Ballot{Round: b, Node: NodeID(binary.BigEndian.Uint32(tag[16:]))}
	switch kind {
	case RecordBooted:
		if b > uint64(maxGrant) {
			return nil, fmt.Errorf("paxos: boot %d with a Grant of %d ns is malformed; at most %v", a, b, maxGrant)
		}
		return Booted{Boot: Boot(a), Grant: time.Duration(b)}, nil
	case RecordPromised:
		return Promised{Ballot: ballot}, nil
	case RecordVoted:
		if a == 0 || ballot.IsZero() || !Value(data).Valid() {
			return nil, fmt.Errorf("paxos: vote at slot %d, ballot %v, %d bytes is malformed", a, ballot, len(data))
		}
		return Voted{Slot: Slot(a), Ballot: ballot, Value: Value(data)}, nil
	case RecordLearned:
		if a == 0 || !Value(data).Valid() {
			return nil, fmt.Errorf("paxos: learned value at slot %d, %d bytes is malformed", a, len(data))
		}
		return Learned{Slot: Slot(a), Value: Value(data)}, nil
	case RecordSettled:
		if a == 0 || a >= b {
			return nil, fmt.Errorf("paxos: settled range [%d,%d) is malformed", a, b)
		}
		return Settled{Slots: Range{From: Slot(a), To: Slot(b)}}, nil
	}
	return nil, fmt.Errorf("paxos: unknown record kind %d", kind)
}

// DecodeUnreadable returns the record that takes the place of a Voted or Learned record
// whose data is lost and whose kind and tag are readable: Unreadable or Unlearned. It
// fails for any other kind.
func DecodeUnreadable(kind uint8, tag []byte) (Record, error) {
	if kind != RecordVoted && kind != RecordLearned {
		return nil, fmt.Errorf("paxos: record kind %d is unreadable, and only a vote or a learned value can be missed", kind)
	}
	r, err := DecodeRecord(kind, tag, "")
	if err != nil {
		return nil, err
	}
	if v, ok := r.(Voted); ok {
		return Unreadable{Slot: v.Slot, Ballot: v.Ballot}, nil
	}
	return Unlearned{Slot: r.(Learned).Slot}, nil
}
