package paxos

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
)

// heal ends all faults, and asks for progress: every value that was chosen, and
// a new one, reach every node.
func (m *model) heal() {
	clear(m.cut)
	m.swarm.late, m.calm = 0, true
	for id := range NodeID(len(m.nodes)) {
		if m.nodes[id].node == nil {
			m.start(id + 1)
		}
	}
	asked := map[Ballot]bool{} // once a ballot; any that is chosen will do
	for range 3000 {
		m.settle()
		for i, r := range m.nodes {
			if s := r.node.Status(); s.Role == Leader && !asked[s.Ballot] && s.Pending == 0 {
				asked[s.Ballot] = true
				command := fmt.Sprintf("healed at %v", s.Ballot)
				m.commands[command] = 0
				require.NoError(m.t, r.node.Propose(r.now, []byte(command)))
				m.take(NodeID(i + 1))
			}
		}
		for b := range asked {
			if m.commands[fmt.Sprintf("healed at %v", b)] > 0 && m.allKnow() {
				return
			}
		}
		m.tick(10 * time.Millisecond)
	}
	roles := ""
	for _, r := range m.nodes {
		roles += "\n" + r.node.Status().String()
	}
	m.failf("no progress within 30 s after all faults ended, %d slots chosen: %s", m.prefix-1, roles)
}

// settle syncs and delivers until nothing moves.
func (m *model) settle() {
	for moved := true; moved; {
		moved = false
		for i, r := range m.nodes {
			if n := len(r.disk.pending); n > 0 {
				moved = true
				m.sync(NodeID(i+1), n)
			}
		}
		for i := range m.nodes {
			moved = m.install(NodeID(i+1)) || moved
		}
		bag := m.bag
		m.bag = nil
		for _, w := range bag {
			moved = true
			m.hand(w)
		}
	}
}

// tick lets time pass for all.
func (m *model) tick(d time.Duration) {
	for i, r := range m.nodes {
		r.now = r.now.Add(d)
		r.node.Advance(r.now)
		m.take(NodeID(i + 1))
	}
}

func (m *model) allKnow() bool {
	for _, r := range m.nodes {
		if r.next < m.prefix || len(m.chosen) >= int(r.next) {
			return false
		}
	}
	return true
}
