package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/chubbycell/chubby/replica/api"
)

// Cache configures package client's cache of what it has read (CHU §2.7).
type Cache struct {
	// Off turns the cache off: every read asks the master.
	Off bool
	// Entries bounds the number of cached files, directories and absent names. Default 4096.
	Entries int
	// Bytes bounds the size of their contents and names. Default 16 MiB.
	Bytes int
	// Handles bounds the handles that stay open at the cell after the program has closed them.
	// Default 128.
	Handles int
	// Idle is how long such a handle stays open. Default 30 s: a session without open handles ends
	// when it was not used for a minute.
	Idle time.Duration
}

func (c Cache) fault() error {
	if min(c.Entries, c.Bytes, c.Handles) < 0 || c.Idle < 0 {
		return fmt.Errorf("negative limit of the cache: Entries %d, Bytes %d, Handles %d, Idle %v", c.Entries, c.Bytes, c.Handles, c.Idle)
	}
	return nil
}

// WithDefaults returns c with defaults in place of zero fields.
func (c Cache) WithDefaults() Cache {
	set := func(n *int, to int) {
		if *n == 0 {
			*n = to
		}
	}
	set(&c.Entries, 4096)
	set(&c.Bytes, 16<<20)
	set(&c.Handles, 128)
	if c.Idle == 0 {
		c.Idle = 30 * time.Second
	}
	return c
}

// StartCacheable is Start for a call whose caller would cache the answer, see Done.Cacheable.
func (m *Machine) StartCacheable(now time.Time, op api.Op) Token {
	return m.start(now, &call{op: op, mayCache: true})
}

// isCacheable reports whether the answer p to c may be cached. It may if the master that gave it is
// the present one, remembers that it did, and reports changes to this client, and if this client
// has taken no drop that the master queued after it read the answer: such a drop may be for this
// answer.
func (m *Machine) isCacheable(c *call, p api.Reply) bool {
	if !p.Cacheable || !c.mayCache || p.Epoch != m.epoch || m.acked != m.epoch || m.state != Open || m.lease.state != Valid {
		return false
	}
	return m.taken.epoch != m.epoch || p.Drops >= m.taken.drops
}

// loose is a call that was cancelled after it was sent, and may change something.
type loose struct {
	token Token
	seq   api.Seq
}

// noteLoose records that c is about to be cancelled.
func (m *Machine) noteLoose(c *call) {
	switch c.op.(type) {
	case api.SetContents, api.SetACL, api.DeleteNode:
		m.loose = append(m.loose, loose{token: c.token, seq: c.seq})
	case api.Open:
		c.loose = c.token
	}
}

// settle is called when c was executed. No cancelled call that c's first sending has covered will
// be executed from now on (doc.go). A Poison is answered from memory and settles nothing.
func (m *Machine) settle(c *call) {
	if _, poisons := c.op.(api.Poison); poisons {
		return
	}
	m.loose = slices.DeleteFunc(m.loose, func(l loose) bool {
		if l.seq <= c.covered {
			m.out.Settled = append(m.out.Settled, l.token)
		}
		return l.seq <= c.covered
	})
}

// settleOpen is called when c has its answer, or no master will be asked about it any more: a cancelled Open
// continues until then.
func (m *Machine) settleOpen(c *call) {
	if c.loose != 0 {
		m.out.Settled = append(m.out.Settled, c.loose)
	}
}
