package driver

import (
	"bytes"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
)

// Translate returns bytes for another replica, as a driver makes them, in another version of the messages of package
// paxos, for a replica that does not know the newest one. Transfers and sums have one version each, which all programs
// know. It does not write to wire. An error says that wire is no such message, or that to is unknown.
func Translate(wire []byte, to byte) ([]byte, error) {
	if IsTransfer(string(wire[:min(2, len(wire))])) || len(wire) == sumSize && wire[0] == sumKind {
		return wire, nil
	}
	return paxos.TranslateMessage(wire, to)
}

// encoder turns messages into bytes: first into a buffer that is used again, then into
// memory of just their length. A message to several peers comes several times in a row;
// they get the same bytes.
type encoder struct {
	room []byte
	last []byte
}

func (e *encoder) message(m paxos.Message) []byte {
	e.room = paxos.AppendMessage(e.room[:0], m)
	if !bytes.Equal(e.room, e.last) {
		e.last = bytes.Clone(e.room)
	}
	return e.last
}

func (e *encoder) reply(p api.Reply) []byte {
	e.room = api.AppendReply(e.room[:0], p)
	return bytes.Clone(e.room)
}
