package cellcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	grpccodes "google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/cli"
)

// States of a session that session end was given.
const (
	stateEnded   = "ended"
	stateAbsent  = "absent"  // it was not alive when its end was to be ordered
	stateOrdered = "ordered" // its end is ordered, and it was alive at the last answer
	stateUnknown = "unknown" // no master has answered
)

// endedList is what session end prints with -o json; the help says so.
type endedList struct {
	Sessions []endedSession `json:"sessions"` // each one given, once
}

// endedSession is a session whose end was asked for.
type endedSession struct {
	ID        uint64 `json:"id"`
	Principal string `json:"principal,omitempty"` // known if it was seen alive
	// State is ended, absent (it was not alive), ordered (it was alive at the last answer) or unknown (there was no
	// answer).
	State string `json:"state"`

	epoch uint64        // of the newest master that has answered
	left  time.Duration // of its lease, at the last answer
}

// endTimeout is the default of --timeout: the longest lease is a minute, and a fail-over grants another one.
const endTimeout = 3 * time.Minute

func endSessionCommand() *cobra.Command {
	a := &call{}
	c := &cobra.Command{
		Use:   "end ID...",
		Short: "End sessions, to be rid of clients that are stuck",
		Long: `End ends sessions whose clients cannot be stopped otherwise, for instance a client that hangs,
renews its session and so keeps a lock. ID is a number that chubby session list prints.

A session does not end within its lease: the client may still believe in its locks then. So the
master renews the session no more, and ends it when the lease is over: with few sessions within
12 s, with many within a minute. Its locks become free when their lock-delays are over, as after
the death of a client. The client is told that its session has expired.

End waits until the sessions have ended. The order is in the memory of the master. If another
replica becomes master meanwhile, end repeats the order there, and the session has one lease
more. If end itself is interrupted or times out (exit code 8 or 130), the order holds for as
long as the master is the same. The exit code is 6 if a session is not alive, also if others have
ended. If clients of the cell prove their identity, the caller must be one of the operators that
the replicas' configurations name (key operators).

With -o json it prints one object: sessions, an array of id, principal, state (ended; absent:
it was not alive; ordered: it was alive at the last answer; unknown: there was no answer).`,
		Example: "  chubby session end 4711\n  chubby session end 4711 4712 -o json",
		Args:    cli.Some(1, 0, "ids of sessions"),
	}
	c.SuggestFor = []string{"revoke", "destroy"} // in tools of other systems
	a.register(c, func(ctx context.Context, args []string) error {
		var all []endedSession
		for _, arg := range args {
			id, err := sessionID(arg)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(all, func(s endedSession) bool { return s.ID == id }) {
				all = append(all, endedSession{ID: id, State: stateUnknown})
			}
		}
		return a.operate(ctx, func(ctx context.Context, o *operator) error { return a.endSessions(ctx, o, all) })
	})
	timeout := c.Flags().Lookup("timeout")
	a.timeout, timeout.DefValue, timeout.Usage = endTimeout, endTimeout.String(), "how long to wait for the ends of the sessions"
	c.ValidArgsFunction = a.completeSession
	return c
}

// sessionID reads an id of a session.
func sessionID(arg string) (uint64, error) {
	id, err := strconv.ParseUint(arg, 10, 64)
	if err != nil || id == 0 {
		return 0, cli.Usage("%q is no id of a session: chubby session list prints them", arg)
	}
	return id, nil
}

// endSessions orders the ends of sessions, waits for them, and prints what has become of each.
func (a *call) endSessions(ctx context.Context, o *operator, all []endedSession) error {
	err := a.orderEnds(ctx, o, all)
	if err == nil {
		err = a.awaitEnds(ctx, o, all)
	}
	if a.isJSON() {
		err = errors.Join(err, a.Document(sessionEndSchema, endedList{all}))
	}
	if absent := idsOf(all, stateAbsent); err == nil && absent != "" {
		err = &cli.Failure{Code: cli.ExitNotFound, Err: fmt.Errorf("not alive: session %s; chubby session list prints those that are", absent)}
	}
	return err
}

// orderEnds asks the master once for the end of each session that may be alive. A session that had been seen alive in
// an epoch and is not alive in that one or a newer one has ended: ids are never given again.
func (a *call) orderEnds(ctx context.Context, o *operator, all []endedSession) error {
	master, err := o.mustMaster(ctx, "no session was ended")
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		if s.State == stateEnded || s.State == stateAbsent {
			continue
		}
		r, err := o.conns.EndSession(ctx, master, s.ID)
		switch {
		case err != nil:
			return endError(master, err)
		case r.GetEpoch() < s.epoch: // of a replica that does not know yet that it is deposed
		case r.GetAlive():
			a.tellOrder(s, r.GetPrincipal(), time.Duration(r.GetLeaseLeftMs())*time.Millisecond, r.GetEpoch())
		case s.State == stateUnknown:
			s.State = stateAbsent
		default:
			if s.State = stateEnded; !a.isJSON() {
				a.eraseProgress()
				if err := a.Printf("session %d has ended\n", s.ID); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// tellOrder notes that a master has taken an order, and says so unless it had taken it before.
func (a *call) tellOrder(s *endedSession, principal string, left time.Duration, epoch uint64) {
	if s.epoch != epoch {
		a.eraseProgress()
		also := ""
		if s.epoch != 0 {
			also = "the master has changed; "
		}
		a.Say("%ssession %d of %s gets no further lease: it ends in %v", also, s.ID, principal, left.Round(100*time.Millisecond))
	}
	s.State, s.Principal, s.left, s.epoch = stateOrdered, principal, left, epoch
}

// Time between two questions whether sessions have ended.
const (
	leastEndLook = 50 * time.Millisecond
	mostEndLook  = time.Second
)

// awaitEnds repeats the orders until each session has ended, also at other masters.
func (a *call) awaitEnds(ctx context.Context, o *operator, all []endedSession) error {
	defer a.eraseProgress()
	for idsOf(all, stateOrdered) != "" {
		left := time.Duration(0)
		for _, s := range all {
			if s.State == stateOrdered {
				left = max(left, s.left)
			}
		}
		a.showProgress("waiting for session %s: %v", idsOf(all, stateOrdered), left.Round(time.Second))
		select {
		case <-ctx.Done():
			return unended(ctx, all)
		case <-time.After(min(max(left, leastEndLook), mostEndLook)):
		}
		err := a.orderEnds(ctx, o, all)
		if ctx.Err() != nil {
			return unended(ctx, all)
		}
		if code := cli.CodeOf(err); err != nil && code != cli.ExitTimeout { // else the next master may answer
			return err
		}
	}
	return nil
}

// unended says which sessions may be alive when the time of the command is over.
func unended(ctx context.Context, all []endedSession) error {
	f := &cli.Failure{Code: cli.ExitTimeout, Err: fmt.Errorf("not ended yet: session %s. The order holds for as long as the master is the same; chubby session list says whether they end", idsOf(all, stateOrdered))}
	if errors.Is(ctx.Err(), context.Canceled) {
		f.Code = cli.ExitInterrupted
	}
	return f
}

// idsOf are the ids of the sessions in a state, in words.
func idsOf(all []endedSession, state string) string {
	var ids []string
	for _, s := range all {
		if s.State == state {
			ids = append(ids, strconv.FormatUint(s.ID, 10))
		}
	}
	return strings.Join(ids, ", ")
}

// endError says what is known after an error of an order.
func endError(id uint32, err error) error {
	if grpcstatus.Code(err) == grpccodes.FailedPrecondition { // of the cell, not of this call
		return &cli.Failure{Code: cli.ExitRefused, Err: fmt.Errorf("replica %d: %s: only its client ends such a session", id, words(err))}
	}
	return orderError(id, err, "it may have taken the order; chubby session list says which sessions end", "ends no session on demand: replace its program, or stop the client")
}

// showProgress writes over the last line of a terminal; elsewhere it does nothing.
func (a *call) showProgress(format string, args ...any) {
	if a.Terminal {
		fmt.Fprintf(a.Err, "\r"+format+eraseRest, args...)
	}
}

// eraseProgress makes room for a line of another kind.
func (a *call) eraseProgress() {
	if a.Terminal {
		fmt.Fprint(a.Err, "\r"+eraseRest)
	}
}

// eraseRest has a terminal erase what stands right of the cursor.
const eraseRest = "\x1b[K"
