package clients

import (
	"encoding/binary"
	"errors"

	"github.com/chubbycell/chubby/replica/api"
)

// Token is the content of a handle's token. Only masters read tokens; this package reads them
// to tell handles apart.
type Token struct {
	ID      api.HandleID
	Session api.SessionID
	Node    api.Ref
	Rights  api.Rights
	Tied    []api.Sequencer // the sequencers that the handle is bound to, the latest last
}

// ReadToken decodes a token in the layout of replica/master/handle, but does not verify its
// check digits and code. ok is false if token has another layout.
func ReadToken(token api.Token) (k Token, ok bool) {
	const fixed = 2 + 4*8 + 3 + 4
	t := string(token)
	if len(t) < fixed+2 {
		return Token{}, false
	}
	n := func(at int) uint64 { return binary.BigEndian.Uint64([]byte(t[at : at+8])) }
	length := int(t[fixed])<<8 | int(t[fixed+1])
	if len(t) < fixed+2+length {
		return Token{}, false
	}
	path, err := api.ParsePath(t[fixed+2 : fixed+2+length])
	if rest := t[fixed+2+length:]; len(rest) > 2 {
		if n := int(rest[0])<<8 | int(rest[1]); n > 0 && len(rest) >= 2+n {
			f, wrong := api.ParseSequencer(rest[2 : 2+n])
			k.Tied, err = []api.Sequencer{f}, errors.Join(err, wrong)
		}
	}
	k.ID = api.HandleID{Epoch: api.Epoch(n(2)), Counter: n(10)}
	k.Session, k.Rights = api.SessionID(n(18)), api.Rights(t[36])
	k.Node = api.Ref{Path: path, Instance: api.Instance(n(26))}
	return k, err == nil
}
