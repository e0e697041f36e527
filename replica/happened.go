package replica

import (
	"fmt"
	"time"

	"github.com/chubbycell/chubby/paxos"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/state/command"
	"github.com/chubbycell/chubby/replica/state/lock"
)

// tellListeners tells the Listeners what happened since its last call. effects are those of the
// commands that were applied since then.
func (r *Replica) tellListeners(h *driver.Driver, effects []command.Effect) {
	if len(r.events.listeners) == 0 {
		r.events.resigned = false
		return
	}
	now, at := r.cfg.Now(), time.Now()
	tell := func(e Event) {
		e.At, e.Replica = at, r.cfg.Driver.Core.Paxos.ID
		for _, l := range r.events.listeners {
			l.put(e)
		}
	}
	for _, effect := range effects {
		if e, ok := eventOf(effect); ok {
			tell(e)
		}
	}
	was, is := r.events.last, r.picture(h, now)
	if was.Role != is.Role {
		e := Event{Kind: EventRole, Role: is.Role, Was: was.Role}
		if was.Role == paxos.Leader {
			e.Reason = whyNoLeader(&was, &is, r.events.resigned)
		}
		tell(e)
	}
	if was.Leader != is.Leader {
		tell(Event{Kind: EventLeader, Leader: is.Leader})
	}
	if was.serving && (!is.serving || was.epoch != is.epoch) {
		tell(Event{Kind: EventServing, Serving: new(bool), Epoch: was.epoch})
	}
	if is.serving && (!was.serving || was.epoch != is.epoch) {
		tell(Event{Kind: EventServing, Serving: &is.serving, Epoch: is.epoch})
	}
	if was.isLeader() && is.isLeader() && was.leased != is.leased {
		tell(Event{Kind: EventLease, Leased: &is.leased})
	}
	if was.snapshot != is.snapshot {
		tell(Event{Kind: EventSnapshot, Slot: is.snapshot})
	}
	if was.failed != is.failed {
		tell(Event{Kind: EventSnapshotFailed, Reason: r.snapshots.reason()})
	}
	r.tellMembers(tell, h, now, &was, &is)
	r.events.last, r.events.resigned = is, false
}

// eventOf returns the event for an effect of a command; false if there is none for it.
func eventOf(effect command.Effect) (Event, bool) {
	switch x := effect.(type) {
	case command.EpochBegan:
		return Event{Kind: EventEpoch, Epoch: x.Epoch.Number, Leader: paxos.NodeID(x.Epoch.Master)}, true
	case command.SessionEnded:
		return Event{Kind: EventSessionExpired, Session: x.Session}, x.Expired
	case command.LockChanged:
		if d, ok := x.Effect.(lock.DelayBegan); ok {
			return Event{Kind: EventLockDelay, Path: d.Lock.Path.String(), Instance: d.Lock.Instance, Delay: d.Delay.Duration().Seconds()}, true
		}
	}
	return Event{}, false
}

// whyNoLeader says why a replica does not lead any more.
func whyNoLeader(was, is *picture, resigned bool) string {
	switch {
	case resigned:
		return "it was told to resign"
	case is.Leader != 0 && is.Leader != is.ID:
		return fmt.Sprintf("replica %d leads with ballot %v", is.Leader, is.Promised)
	case was.Ballot.Compare(is.Promised) < 0 && is.Promised.Node != is.ID:
		return fmt.Sprintf("replica %d campaigns with ballot %v", is.Promised.Node, is.Promised)
	case is.Role == paxos.Candidate:
		return "it campaigns with another ballot, and its lease ran out meanwhile"
	}
	return fmt.Sprintf("it heard of a ballot above %v, or fell behind the others", was.Ballot)
}

// tellMembers tells which members have fallen silent and which answer again. Only a leader knows this.
func (r *Replica) tellMembers(tell func(Event), h *driver.Driver, now time.Time, was, is *picture) {
	changed := was.silent ^ is.silent
	if changed == 0 || !is.isLeader() {
		return
	}
	for i, id := range r.cfg.Driver.Core.Paxos.Members {
		if changed&(1<<i) == 0 {
			continue
		}
		silent := 0.0
		if is.silent&(1<<i) != 0 {
			silent = now.Sub(h.Core().HeardAt(id)).Seconds()
		}
		tell(Event{Kind: EventMember, Member: id, Silent: &silent})
	}
}

// endListeners tells the Listeners that the replica has ended, and closes their channels.
func (r *Replica) endListeners(why error) {
	e := Event{At: time.Now(), Kind: EventStopped, Replica: r.cfg.Driver.Core.Paxos.ID}
	if why != nil {
		e.Reason = why.Error()
	}
	for _, l := range r.events.listeners {
		l.put(e)
		close(l.c)
	}
	r.events.listeners = nil
}
