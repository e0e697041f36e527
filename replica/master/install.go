package master

import (
	"github.com/chubbycell/chubby/internal/invariant"
	"github.com/chubbycell/chubby/replica/state/rows"
)

// Installed tells that the rows were replaced by newer ones, in which e is the
// present epoch; the commands in between are not told. The tenure in which that
// happens is over, as the log will say: nothing that is remembered agrees with the
// rows any more.
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
