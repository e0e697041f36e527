package cellcmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/chubbycell/chubby/internal/cli"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// sessionList is what session list prints with -o json; the help says so.
type sessionList struct {
	Sessions []sessionRow `json:"sessions"` // in the order of their ids
	More     bool         `json:"more"`     // there are more, which --most left out
}

// sessionRow is a session that is alive.
type sessionRow struct {
	ID        uint64 `json:"id"`
	Principal string `json:"principal"`
	// State is valid, missing (it has not come back after a fail-over), ends (its end is ordered) or unknown (the cell has
	// no master).
	State   string      `json:"state"`
	Lease   string      `json:"lease,omitempty"` // that is left, as text such as 12s; left out if the state is unknown
	Handles uint32      `json:"handles"`         // how many are open
	Locks   uint32      `json:"locks"`           // how many it holds
	Open    []handleRow `json:"open,omitempty"`  // of session show
	Held    []heldRow   `json:"held,omitempty"`  // of session show
}

// handleRow is an open handle.
type handleRow struct {
	ID     string `json:"id"`
	Path   string `json:"path"` // the full name of the node
	Rights string `json:"rights"`
}

// heldRow is a lock that a session holds.
type heldRow struct {
	Path   string `json:"path"`   // the full name of the node
	Handle string `json:"handle"` // id of the handle that holds it
	Mode   string `json:"mode"`   // exclusive or shared
}

// sessionHelp explains the fields.
const sessionHelp = `States:
    valid    the client renews the session
    missing  it has not come back after a fail-over, which waits for it until its lease ends
    ends     the master has proposed its end, or chubby session end has ordered it
    unknown  the cell has no master, and only a master knows leases and handles

The operators that the replicas' configurations name (key operators) see all sessions; other
callers see those of their own principal, and are told so on stderr. On a cell that takes names
without proof, every caller sees all sessions.`

func sessionCommand() *cobra.Command {
	a, most := &call{}, 0
	list := &cobra.Command{
		Use:   "list",
		Short: "List sessions",
		Long: `List prints the sessions that are alive, one per line, in the order of their ids: principal,
state, the lease that is left, number of open handles, number of locks held.

` + sessionHelp + `

With -o json it prints one object: sessions, an array of id, principal, state, lease (text
such as 12s), handles, locks; more, which is true if --most left sessions out.`,
		Example: "  chubby session list\n  chubby session list --most 20 -o json",
		Args:    cli.None(""),
	}
	a.register(list, func(ctx context.Context, _ []string) error {
		if most < 0 {
			return cli.Usage("--most %d: must be at least 0", most)
		}
		return a.operate(ctx, func(ctx context.Context, o *operator) error { return a.listSessions(ctx, o, most) })
	})
	list.Flags().IntVar(&most, "most", 0, "most sessions to print; 0: all")
	b := &call{}
	show := &cobra.Command{
		Use:   "show ID",
		Short: "Show one session with its handles and locks",
		Long: `Show prints one session, with its open handles and the locks that it holds. ID is a number
that chubby session list prints. The exit code is 6 if no such session is alive, or if the
caller may not see it.

` + sessionHelp + `

With -o json it prints one object: the fields that chubby session list has of a session, open
(an array of id, path, rights), held (an array of path, handle, mode).`,
		Example: "  chubby session show 4711",
		Args:    cli.One("id of a session"),
	}
	b.register(show, func(ctx context.Context, args []string) error {
		id, err := sessionID(args[0])
		if err != nil {
			return err
		}
		return b.operate(ctx, func(ctx context.Context, o *operator) error { return b.showSession(ctx, o, id) })
	})
	show.ValidArgsFunction = b.completeSession
	return cli.Group("session", "List the sessions of clients and their locks, show one, or end one", list, show, locksCommand(), endSessionCommand())
}

// sessionSource is the replica that is asked for sessions: the master, or where there is none, another one.
func (a *call) sessionSource(ctx context.Context, o *operator) (id uint32, err error) {
	id, ok, err := o.master(ctx)
	if err == nil && !ok {
		a.Warn("the cell has no master, so leases and handles are unknown; chubby members says how the replicas are")
	}
	return id, err
}

// sessions lists the sessions that a replica knows until each returns false. It says if these are not all, since the
// caller is no operator, and returns this as ownOnly.
func (a *call) sessions(ctx context.Context, o *operator, id uint32, each func(*chubbyv1.SessionDescription) bool) (ownOnly bool, err error) {
	for q := new(chubbyv1.ListSessionsRequest); ; {
		l, err := o.listSessions(ctx, id, q)
		if err != nil {
			return ownOnly, err
		}
		if l.GetOwnOnly() && !ownOnly {
			a.Warn("these are sessions of this caller's own principal: only operators see all (key operators of the replicas' configurations)")
			ownOnly = true
		}
		for _, s := range l.GetSessions() {
			if q.After = s.GetId(); !each(s) {
				return ownOnly, nil
			}
		}
		if !l.GetMore() {
			return ownOnly, nil
		}
	}
}

// session is one session that a replica knows, with all its handles and locks; nil if it is not alive, or the caller
// may not see it. A replica that runs an older program tells of the first ones only.
func (o *operator) session(ctx context.Context, id uint32, session uint64) (all *chubbyv1.SessionDescription, err error) {
	for q := (&chubbyv1.ListSessionsRequest{Session: session}); ; {
		l, err := o.listSessions(ctx, id, q)
		if err != nil {
			return nil, err
		}
		if len(l.GetSessions()) == 0 { // it has ended meanwhile, if some of it was told
			return nil, nil
		}
		s := l.GetSessions()[0]
		if all != nil {
			s.Open, s.Held = append(all.GetOpen(), s.GetOpen()...), append(all.GetHeld(), s.GetHeld()...)
		}
		if all, q.Behind = s, s.GetLast(); q.GetBehind() == nil {
			return all, nil
		}
	}
}

func (o *operator) listSessions(ctx context.Context, id uint32, q *chubbyv1.ListSessionsRequest) (*chubbyv1.SessionList, error) {
	l, err := o.conns.ListSessions(ctx, id, q)
	if err != nil {
		return nil, operatorError(err, fmt.Errorf("replica %d at %s: %s", id, o.target.Replicas[id], words(err)))
	}
	return l, nil
}

func (a *call) listSessions(ctx context.Context, o *operator, most int) error {
	rows, more := []sessionRow{}, false
	id, err := a.sessionSource(ctx, o)
	if err != nil {
		return err
	}
	_, err = a.sessions(ctx, o, id, func(s *chubbyv1.SessionDescription) bool {
		if more = most > 0 && len(rows) == most; !more {
			rows = append(rows, a.sessionOf(s))
		}
		return !more
	})
	if err != nil {
		return err
	}
	if more {
		a.Warn("there are more than %d sessions", most)
	}
	if a.isJSON() {
		return a.Document(sessionListSchema, sessionList{rows, more})
	}
	t := cli.NewColumns(a.Out)
	t.Row("session\tprincipal\tstate\tlease\thandles\tlocks\n")
	for _, r := range rows {
		t.Row("%d\t%s\t%s\t%s\t%d\t%d\n", r.ID, r.Principal, r.State, blank(r.Lease), r.Handles, r.Locks)
	}
	return t.End()
}

func (a *call) showSession(ctx context.Context, o *operator, session uint64) error {
	id, err := a.sessionSource(ctx, o)
	if err != nil {
		return err
	}
	s, err := o.session(ctx, id, session)
	r := a.sessionOf(s)
	switch {
	case err != nil:
		return err
	case s == nil:
		return &cli.Failure{Code: cli.ExitNotFound, Err: fmt.Errorf("no session %d is alive, of those that this caller may see: chubby session list prints them", session)}
	case a.isJSON():
		return a.Document(sessionSchema, r)
	}
	t := cli.NewColumns(a.Out)
	t.Row("session\t%d\nprincipal\t%s\nstate\t%s\nlease\t%s\nhandles\t%d\nlocks\t%d\n", r.ID, r.Principal, r.State, blank(r.Lease), r.Handles, r.Locks)
	for _, h := range r.Open {
		t.Row("open\t%s\thandle %s\t%s\n", h.Path, h.ID, h.Rights)
	}
	for _, h := range r.Held {
		t.Row("held\t%s\thandle %s\t%s\n", h.Path, h.Handle, h.Mode)
	}
	return t.End()
}

// sessionOf is what is printed of a session. Names of nodes are full names.
func (a *call) sessionOf(s *chubbyv1.SessionDescription) sessionRow {
	r := sessionRow{ID: s.GetId(), Principal: s.GetPrincipal(), State: "valid", Handles: s.GetHandles(), Locks: s.GetLocks()}
	switch {
	case !s.GetKnown():
		r.State = "unknown"
	case s.GetEnding():
		r.State = "ends"
	case !s.GetAcknowledged():
		r.State = "missing"
	}
	if s.GetKnown() {
		r.Lease = (time.Duration(s.GetLeaseLeftMs()) * time.Millisecond).Round(100 * time.Millisecond).String()
	}
	for _, h := range s.GetOpen() {
		r.Open = append(r.Open, handleRow{h.GetId(), a.named(h.GetPath()), h.GetRights()})
	}
	for _, h := range s.GetHeld() {
		r.Held = append(r.Held, heldRow{a.named(h.GetPath()), h.GetHandle(), h.GetMode()})
	}
	return r
}
