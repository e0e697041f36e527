package session

import "github.com/chubbycell/chubby/replica/api"

// eventsTaken is how far the client has taken the events of one master. A master repeats events
// until they are acknowledged, and its answers may come late or twice, so the client takes each
// number once.
type eventsTaken struct {
	epoch   api.Epoch // of the master whose numbers these are
	through api.EventNumber
	drops   api.DropNumber // the highest of a drop
}

// ackedEvents returns the number that the next KeepAlive acknowledges to the master of the present
// epoch.
func (m *Machine) ackedEvents() api.EventNumber {
	if m.taken.epoch != m.epoch {
		return 0
	}
	return m.taken.through
}

// takeEvents reports the new events in an answer from a master of epoch. It returns whether there
// are any: then the next KeepAlive is sent at once, to acknowledge them. It ignores events of a
// former master, because EventPresented covers them.
func (m *Machine) takeEvents(epoch api.Epoch, l api.Leased) bool {
	if epoch != m.epoch || len(l.Events) == 0 {
		return false
	}
	if m.taken.epoch != epoch {
		m.taken = eventsTaken{epoch: epoch}
	}
	first := l.LastEvent - api.EventNumber(len(l.Events)-1)
	for i, e := range l.Events {
		if first+api.EventNumber(i) > m.taken.through {
			m.takeEvent(e)
		}
	}
	news := l.LastEvent > m.taken.through
	m.taken.through = max(m.taken.through, l.LastEvent)
	return news
}

func (m *Machine) takeEvent(e api.Event) {
	if !e.Kind.IsDrop() {
		m.emitEvent(Event{Kind: EventNode, Node: e})
		return
	}
	m.taken.drops = max(m.taken.drops, e.Drop)
	m.emitEvent(Event{Kind: EventDrop, Node: e})
}
