package driver

import (
	"bytes"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
)

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
