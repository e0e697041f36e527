package peer

import (
	"fmt"

	"github.com/chubbycell/chubby/internal/versions"
	"github.com/chubbycell/chubby/paxos"
)

// Formats are the versions of formats that a program knows. Each side of a connection says its own in the handshake.
type Formats struct {
	Messages versions.Range // of the datagrams between replicas
	Commands versions.Range // of the commands of the log
}

// unsaid are the Formats of a program that says none: one of those whose handshake had no Formats. They all knew just these.
var unsaid = Formats{Messages: versions.Range{Oldest: 2, Newest: 2}, Commands: versions.Range{Oldest: 3, Newest: 3}}

// fit returns why this replica refuses a peer for what its program knows, or nil.
func (c *Config) fit(id paxos.NodeID, theirs Formats) error {
	for _, f := range []struct {
		of          string
		own, theirs versions.Range
	}{
		{"the messages between replicas", c.Formats.Messages, theirs.Messages},
		{"the commands of the log", c.Formats.Commands, theirs.Commands},
	} {
		if _, ok := f.own.Common(f.theirs); ok {
			continue
		}
		older := c.Self
		if f.theirs.IsOlder(f.own) {
			older = id
		}
		return refuse("replica %d knows versions %v of %s, and replica %d knows %v: none is common to both. Replica %d has the older program: "+
			"start it with a newer one, which knows a version of the other replica too (chubby version)", id, f.theirs, f.of, c.Self, f.own, older)
	}
	if used := c.commandsInUse(); theirs.Commands.Newest < used {
		return refuse("replica %d knows the commands of the log up to version %d, and cell %q uses version %d, since all its members have known it. "+
			"Start replica %d with the program of the other replicas (chubby version)", id, theirs.Commands.Newest, c.Cell, used, id)
	}
	return nil
}

// commandsInUse is what Config.CommandsInUse says, 0 without it.
func (c *Config) commandsInUse() byte {
	if c.CommandsInUse == nil {
		return 0
	}
	return c.CommandsInUse()
}

// translate returns a datagram for a peer in the version that both know.
func (l *link) translate(wire []byte) ([]byte, error) {
	if l.speaks == l.cfg.Formats.Messages.Newest {
		return wire, nil
	}
	out, err := l.cfg.Translate(wire, l.speaks)
	if err != nil {
		return nil, fmt.Errorf("a datagram has no form in version %d: %w", l.speaks, err)
	}
	return out, nil
}

// learn notes what the program of the peer knows. The handshake has found that both have a version in common.
func (l *link) learn(theirs Formats) {
	l.speaks, _ = l.cfg.Formats.Messages.Common(theirs.Messages)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.formats = theirs
}
