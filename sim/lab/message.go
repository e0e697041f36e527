package lab

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/chubbycell/chubby/sim"
	"github.com/chubbycell/chubby/sim/resource"
)

// The first bytes of messages between machines of a lock system.
const (
	kindRequest = 'Q' // and the number of the call
	kindAnswer  = 'R' // and the number of the call that it answers
	kindNews    = 'P' // that no call asked for, such as a watch event; the number is 0
)

// message is what machines of a lock system send each other: text, as a student would
// type it.
type message struct {
	kind byte
	call uint64
	text string
}

func (m message) encode() []byte {
	return append(binary.AppendUvarint([]byte{m.kind}, m.call), m.text...)
}

// decode is the inverse of encode. Links keep bytes whole: what is no message is a bug of a
// model, and panics.
func decode(data []byte) message {
	if len(data) > 0 {
		if n, size := binary.Uvarint(data[1:]); size > 0 && strings.IndexByte("QRP", data[0]) >= 0 {
			return message{data[0], n, string(data[1+size:])}
		}
	}
	panic(fmt.Sprintf("%d bytes that are no message of a lock system", len(data)))
}

// describer turns messages into text for a trace: those from and to foreign machines by others.
func describer(others func(from, to sim.Addr, msg []byte) string, foreign map[sim.Addr]bool) func(from, to sim.Addr, msg []byte) string {
	return func(from, to sim.Addr, msg []byte) string {
		switch {
		case foreign[from] || foreign[to]:
			if others != nil {
				return others(from, to, msg)
			}
			return fmt.Sprintf("%d bytes", len(msg))
		case msg[0] == 'A' || msg[0] == 'T':
			return resource.Describe(msg)
		}
		m := decode(msg)
		return map[byte]string{kindRequest: "asks", kindAnswer: "answers", kindNews: "tells"}[m.kind] + " " + m.text
	}
}
