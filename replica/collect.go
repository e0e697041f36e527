package replica

import (
	"context"
	"time"

	"github.com/chubbycell/chubby/db"
	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/core"
	"github.com/chubbycell/chubby/replica/driver"
	"github.com/chubbycell/chubby/replica/master/handle"
	"github.com/chubbycell/chubby/replica/state/lock"
	"github.com/chubbycell/chubby/replica/state/rows"
	"github.com/chubbycell/chubby/replica/state/tree"
)

// batch is how many sessions, locks or delays the loop is asked about at a time. The loop does
// nothing else meanwhile; a batch takes it less than a millisecond.
const batch = 256

// Overview describes the replica and its cell. No list has more than most entries. Overview reads
// the rows from a view, on the goroutine of the caller, and asks the loop in small pieces, so the
// replica goes on meanwhile, however large the cell is. It returns ErrStopped if the replica has
// ended, or the cause of ctx if ctx ends first.
func (r *Replica) Overview(ctx context.Context, most int) (Overview, error) {
	var o Overview
	var view db.View
	most = max(0, most)
	err := r.ask(ctx, func(h *driver.Driver, now time.Time) {
		r.status(h, &o.Status)
		if c := h.Core(); c != nil {
			view = c.View()
			r.facts(h, now, &o)
			o.FirstDelays = masterDelays(c, now, min(most, batch))
		}
	})
	if err != nil || o.ID == 0 || o.Role == "" {
		return o, err
	}
	o.Rows, o.RowBytes, o.Limits = view.Len(), view.Bytes(), tree.GetLimits(view)
	o.readLocks(view, most)
	for id, s := range rows.Sessions(view) {
		if len(o.FirstSessions) == most {
			break
		}
		o.FirstSessions = append(o.FirstSessions, Session{ID: id, Principal: s.Principal, Locks: len(lock.HoldingsOf(view, id))})
	}
	if err := r.remember(ctx, o.FirstSessions); err != nil {
		return o, err
	}
	if err := r.countWaiting(ctx, o.FirstLocks); err != nil {
		return o, err
	}
	o.FirstUnacked, err = r.unacked(ctx, view, min(o.Unacked, most))
	return o, err
}

// facts fills in what the loop knows without a walk over sessions, locks or rows.
func (r *Replica) facts(h *driver.Driver, now time.Time, o *Overview) {
	c := h.Core()
	p, m, ops := c.Status(), c.Master(), c.NodeOps()
	o.IsMaster, o.Master = m.State.HasEpoch(), rows.GetEpoch(c.Rows()).Master
	o.Ballot, o.Promised = p.Ballot, p.Promised
	holder, until, holdOff := c.LeaseGranted()
	if o.Granted, o.HoldOff = left(now, until), left(now, holdOff); o.Granted > 0 {
		o.Holder = holder
	}
	o.FirstOpen, o.Floor, o.InFlight = p.FirstOpen, p.Floor, c.InFlight()
	o.Handles, o.Waiting = ops.Handles, ops.Waiting
	for _, id := range r.cfg.Driver.Core.Paxos.Members {
		mine := Member{
			ID: id, IsLeader: id == p.Leader, IsThisReplica: id == o.ID,
			Counted: left(now, c.SupportUntil(id)), HasOtherRows: c.HasOtherRows(id),
		}
		if at := c.HeardAt(id); !at.IsZero() {
			mine.Silent = max(0, now.Sub(at))
		}
		o.Members = append(o.Members, mine)
	}
}

// left returns the time from now to until; 0 if until has passed, or is zero.
func left(now, until time.Time) time.Duration {
	if until.IsZero() {
		return 0
	}
	return max(0, until.Sub(now))
}

// masterDelays lists the lock-delays that end first, from the memory of the master.
func masterDelays(c *core.Replica, now time.Time, most int) (all []Delay) {
	for _, d := range c.FirstDelays(most) {
		all = append(all, Delay{Node: d.Lock, Left: left(now, d.End), Waiting: c.WaitingFor(d.Lock)})
	}
	return all
}

// readLocks fills in the locks that are held and the lock-delays, from the rows.
func (o *Overview) readLocks(view db.View, most int) {
	for node, s := range lock.All(view) {
		o.Delayed += int(s.Delays)
		if s.Mode == 0 {
			continue
		}
		if o.Held++; len(o.FirstLocks) < most {
			l := Lock{Node: node, State: s}
			for owner := range lock.Owners(view, node) {
				if len(l.Holders) == MostHolders {
					break
				}
				l.Holders = append(l.Holders, owner)
			}
			o.FirstLocks = append(o.FirstLocks, l)
		}
	}
	if o.IsMaster {
		return
	}
	for d := range lock.AllDelays(view) {
		if len(o.FirstDelays) == most {
			return
		}
		o.FirstDelays = append(o.FirstDelays, Delay{Node: d.Lock, Left: d.Length.Duration(), IsWhole: true})
	}
}

// remember fills in what the master remembers of these sessions.
func (r *Replica) remember(ctx context.Context, all []Session) error {
	for len(all) > 0 {
		part := all[:min(batch, len(all))]
		all = all[len(part):]
		err := r.ask(ctx, func(h *driver.Driver, now time.Time) {
			for i := range part {
				s, ok := h.Core().Session(part[i].ID)
				if !ok {
					continue
				}
				part[i].IsKnown, part[i].HasAcked, part[i].Expiring, part[i].IsDismissed = true, s.HasAcked, s.Expiring, s.Dismissed
				part[i].Lease, part[i].Handles = left(now, s.Lease), h.Core().CountHandles(part[i].ID)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// countWaiting fills in how many Acquires wait for each of these locks.
func (r *Replica) countWaiting(ctx context.Context, all []Lock) error {
	for len(all) > 0 {
		part := all[:min(batch, len(all))]
		all = all[len(part):]
		err := r.ask(ctx, func(h *driver.Driver, _ time.Time) {
			for i := range part {
				part[i].Waiting = h.Core().WaitingFor(part[i].Node)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unacked lists the sessions that a fail-over waits for, no more than most.
func (r *Replica) unacked(ctx context.Context, view db.View, most int) (all []Session, err error) {
	var part []Session
	look := func() error {
		err := r.remember(ctx, part)
		for _, s := range part {
			if s.IsKnown && !s.HasAcked && len(all) < most {
				s.Locks = len(lock.HoldingsOf(view, s.ID))
				all = append(all, s)
			}
		}
		part = part[:0]
		return err
	}
	for id, s := range rows.Sessions(view) {
		if len(all) == most {
			return all, nil
		}
		if part = append(part, Session{ID: id, Principal: s.Principal}); len(part) == batch {
			if err := look(); err != nil {
				return all, err
			}
		}
	}
	return all, look()
}

// ListSessions lists the sessions with ids above after, by id, no more than most of them. With a
// principal it lists the sessions of that principal only. more reports whether there are others
// with higher ids. It returns ErrStopped if the replica has ended, or the cause of ctx if ctx ends
// first.
func (r *Replica) ListSessions(ctx context.Context, after api.SessionID, most int, of api.Principal) (all []Session, more bool, err error) {
	var view db.View
	var ok bool
	err = r.ask(ctx, func(h *driver.Driver, _ time.Time) {
		if c := h.Core(); c != nil {
			view, ok = c.View(), true
		}
	})
	if err != nil || !ok {
		return nil, false, err
	}
	for id, s := range rows.SessionsAfter(view, after) {
		if of != "" && s.Principal != of {
			continue
		}
		if len(all) >= most {
			return all, true, r.remember(ctx, all)
		}
		all = append(all, Session{ID: id, Principal: s.Principal, Locks: len(lock.HoldingsOf(view, id))})
	}
	return all, false, r.remember(ctx, all)
}

// FindSession describes one session; ok is false if there is no such session. It returns ErrStopped
// if the replica has ended, or the cause of ctx if ctx ends first.
func (r *Replica) FindSession(ctx context.Context, id api.SessionID) (s SessionDetail, ok bool, err error) {
	var view db.View
	var open []handle.Handle
	err = r.ask(ctx, func(h *driver.Driver, _ time.Time) {
		if c := h.Core(); c != nil {
			view, open, ok = c.View(), c.Handles(id), true
		}
	})
	if err != nil || !ok {
		return s, false, err
	}
	row, ok := rows.GetSession(view, id)
	if !ok {
		return s, false, nil
	}
	held := lock.HoldingsOf(view, id)
	one := []Session{{ID: id, Principal: row.Principal, Locks: len(held)}}
	err = r.remember(ctx, one)
	return SessionDetail{Session: one[0], Open: open, Held: held}, true, err
}
