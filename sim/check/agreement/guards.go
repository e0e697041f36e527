package agreement

import (
	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/sim/model"
)

// arrivals are the copies of requests that reached replicas. What a master does in an epoch,
// it does for a copy that reached it and named that epoch (C12.04). A packet that was meant
// for a former master is for no later one.
type arrivals struct {
	copies map[arrival]bool
	opens  map[opening]api.Epoch // the highest epoch that had begun when the last copy came
}

// arrival is a copy of a call: the replica that it reached, and the epoch that it named.
type arrival struct {
	to    paxos.NodeID
	call  model.Call
	epoch api.Epoch
}

// opening is a request for a session, which names no epoch.
type opening struct {
	to    paxos.NodeID
	nonce api.Nonce
}

func newArrivals() arrivals {
	return arrivals{copies: map[arrival]bool{}, opens: map[opening]api.Epoch{}}
}

// note takes in a copy that arrives while present is the highest epoch.
func (a *arrivals) note(to paxos.NodeID, q api.Request, present api.Epoch) {
	if o, opens := q.Op.(api.OpenSession); opens {
		a.opens[opening{to, o.Nonce}] = present
		return
	}
	a.copies[arrival{to, model.Call{Session: q.Session, Seq: q.Seq}, q.Epoch}] = true
}

// checkArrived checks that a client's command which was executed in an epoch has a copy that
// reached the master of that epoch, and named the epoch (S2).
func (h *Calls) checkArrived(s paxos.Slot, a *command.Applied) {
	guard, _ := model.GuardOf(a.Command)
	of, began := h.epochs.began[guard]
	if a.Verdict != command.Executed || !began {
		return
	}
	if c, is := a.Command.(command.Call); is && c.Session == 0 {
		if o, opens := c.Op.(api.OpenSession); opens && h.came.opens[opening{of.id, o.Nonce}] < guard {
			h.world.Break("S2", "slot %d: a session is opened in epoch %d, and its master, replica %d, was not asked for one with nonce %v", s, guard, of.id, o.Nonce)
		}
		return
	}
	if key, is := model.CallOf(a.Command); is && !h.came.copies[arrival{of.id, key, guard}] {
		h.world.Break("S2", "slot %d: call %d of session %d is executed in epoch %d, and no copy of it that names this epoch came to its master, replica %d", s, key.Seq, key.Session, guard, of.id)
	}
}
