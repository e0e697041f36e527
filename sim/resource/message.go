package resource

import (
	"encoding/binary"
	"fmt"

	"github.com/chubbycell/chubby/replica/api"
)

// Ask is a request to the resource.
type Ask struct {
	ID        uint64
	Write     bool
	Base      uint64 // for a write: the version that was read
	Version   uint64 // for a write: the version that it makes, new for each write
	Value     uint64
	Sequencer string // of the lock under which the client acts, as text
}

// Tell is the answer of the resource to an Ask.
type Tell struct {
	ID       uint64
	Accepted bool
	Version  uint64 // of the value, after the request
	Value    uint64
}

// kindAsk and kindTell are the first bytes of messages.
const (
	kindAsk  = 'A'
	kindTell = 'T'
)

// Encode returns the message that carries the request.
func (q Ask) Encode() []byte {
	dst := binary.AppendUvarint([]byte{kindAsk}, q.ID)
	for _, n := range []uint64{flag(q.Write), q.Base, q.Version, q.Value} {
		dst = binary.AppendUvarint(dst, n)
	}
	return append(dst, q.sequencer().Encode()...)
}

// Encode returns the message that carries the answer.
func (t Tell) Encode() []byte {
	dst := binary.AppendUvarint([]byte{kindTell}, t.ID)
	for _, n := range []uint64{flag(t.Accepted), t.Version, t.Value} {
		dst = binary.AppendUvarint(dst, n)
	}
	return dst
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// DecodeAsk is the inverse of Ask.Encode. It panics if msg is malformed: links do not alter bytes,
// and no other machine sends messages to the resource, so that is a bug of the simulator.
func DecodeAsk(msg []byte) (q Ask) {
	n, rest := uvarints(kindAsk, msg, 5)
	s, err := api.ParseSequencer(string(rest))
	if err != nil {
		panic("a message with a bad sequencer: " + err.Error())
	}
	return Ask{ID: n[0], Write: n[1] == 1, Base: n[2], Version: n[3], Value: n[4], Sequencer: s.Text()}
}

// DecodeTell is the inverse of Tell.Encode; it panics as DecodeAsk does.
func DecodeTell(msg []byte) Tell {
	n, _ := uvarints(kindTell, msg, 4)
	return Tell{ID: n[0], Accepted: n[1] == 1, Version: n[2], Value: n[3]}
}

func uvarints(kind byte, msg []byte, count int) (all []uint64, rest []byte) {
	whole := len(msg)
	if whole == 0 || msg[0] != kind {
		panic(fmt.Sprintf("%d bytes that are no message of kind %c", whole, kind))
	}
	msg = msg[1:]
	for range count {
		n, size := binary.Uvarint(msg)
		if size <= 0 {
			panic(fmt.Sprintf("%d bytes that are no message of kind %c", whole, kind))
		}
		all, msg = append(all, n), msg[size:]
	}
	return all, msg
}

// Describe returns the text of a message between a client and the resource, for traces. It panics
// if msg is malformed.
func Describe(msg []byte) string {
	if len(msg) > 0 && msg[0] == kindTell {
		t := DecodeTell(msg)
		return fmt.Sprintf("resource answers #%d: accepted %v, version %d, value %d", t.ID, t.Accepted, t.Version, t.Value)
	}
	q := DecodeAsk(msg)
	if !q.Write {
		return fmt.Sprintf("resource #%d: read, %v", q.ID, q.sequencer())
	}
	return fmt.Sprintf("resource #%d: write version %d, made from %d, value %d, %v", q.ID, q.Version, q.Base, q.Value, q.sequencer())
}
