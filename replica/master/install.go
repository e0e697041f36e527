package master

import (
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Installed tells the Master that the rows of a snapshot replaced its rows; e is the epoch in
// them. The commands in between are not reported. A tenure in which that happens is over, as the
// log will report: nothing that this Master remembers agrees with the rows any more.
func (m *Master) Installed(e rows.Epoch) {
	if e.Number < m.epoch {
		invariant.Failf("I-E1", "replica %d: rows in epoch %d replace rows in epoch %d", m.cfg.ID, e.Number, m.epoch)
	}
	risen := e.Number > m.epoch
	m.epoch = e.Number
	switch {
	case m.hasEpoch():
		m.depose(e.Master)
	case risen && m.state == Deposed:
		m.hint = m.another(e.Master)
	}
	m.ops = nil
	m.verify()
}
