package sessions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/replica/api"
	"github.com/chubbycell/chubby/replica/master/session"
	"github.com/chubbycell/chubby/replica/state/command"
)

// throng is the master of epoch 3 with that many sessions, and a row of the longest lease of
// 6 s. Leases are 4 to 6 s, depending on the number of sessions, and up to a second more.
func throng(t *testing.T, sessions int) *reign {
	r := newReign(t, 6)
	r.acts(0, r.rows(6), r.come(sessions-1))
	return r
}

// come returns the command by which n sessions begin, or -n end.
func (r *reign) come(n int) (a command.Applied) {
	r.c.others += n
	for range n {
		a.Effects = append(a.Effects, command.SessionOpened{})
	}
	for range -n {
		a.Effects = append(a.Effects, command.SessionEnded{})
	}
	return a
}

// rows returns the command that sets the row of the longest lease.
func (r *reign) rows(seconds time.Duration) command.Applied {
	r.c.row = seconds * time.Second
	return command.Applied{Command: command.LongestLease{Guard: 3}, Verdict: command.Executed}
}

// asks hands the log a command that sets that row.
func (r *reign) asks(at float64, seconds time.Duration) {
	r.proposes(at, command.LongestLease{Guard: 3, Lease: seconds * time.Second})
}

// extends answers the KeepAlive of session 7 at second 4 with a lease of that many seconds
// from then. In the same step the master applies said.
func (r *reign) extends(lease float64, said ...command.Applied) {
	r.set(func(s *session.Session) { s.Lease = second(4 + lease) })
	r.acts(4, said...)
	r.w.OnReply(1, second(4), api.Reply{ID: 1, Session: 7, Result: leased(time.Second)})
}

// opens begins session 8 at second 1 with a lease of that many seconds.
func (r *reign) opens(lease float64) {
	a := r.come(1)
	a.Command = command.Call{Guard: 3, Op: api.OpenSession{Nonce: api.Nonce{1}}, Principal: "ann"}
	a.Verdict, a.Result = command.Executed, api.Result{Code: api.OK, Session: 8}
	r.c.sessions[8] = session.Session{Lease: second(1 + lease), HasAcked: true}
	r.acts(1, a)
}

// Session 7 has a KeepAlive that waits since second 1.
func TestS11ALeaseIsAsLongAsThereAreSessions(t *testing.T) {
	for name, c := range map[string]struct {
		sessions int
		does     func(r *reign)
		breaks   bool
	}{
		"one session":                   {1, func(r *reign) { r.extends(4) }, false},
		"one, and longer":               {1, func(r *reign) { r.extends(5.1) }, true},
		"one that had a longer lease":   {1, func(r *reign) { r.w.Seats[1].Leases[7] = second(9.5); r.extends(5.5) }, false},
		"five":                          {5, func(r *reign) { r.extends(5) }, false},
		"five, and a quarter longer":    {5, func(r *reign) { r.extends(6) }, false},
		"five, and shorter":             {5, func(r *reign) { r.extends(4.9) }, true},
		"nine":                          {9, func(r *reign) { r.extends(6) }, false},
		"nine, and shorter":             {9, func(r *reign) { r.extends(5.9) }, true},
		"nine, as the row is":           {9, func(r *reign) { r.acts(2.5, r.rows(5)); r.asks(2.5, 6); r.extends(5) }, false},
		"nine, and shorter than that":   {9, func(r *reign) { r.acts(2.5, r.rows(5)); r.asks(2.5, 6); r.extends(4.9) }, true},
		"nine, while the row is raised": {9, func(r *reign) { r.acts(2.5, r.rows(5)); r.asks(2.5, 6); r.extends(5, r.rows(6)) }, false},
		"nine, when it was":             {9, func(r *reign) { r.acts(2.5, r.rows(5)); r.acts(3, r.rows(6)); r.extends(5) }, true},
		"five, as the row will be":      {4, func(r *reign) { r.asks(2, 4); r.acts(3, r.come(1)); r.extends(4) }, false},
		"the fifth came before":         {4, func(r *reign) { r.acts(3, r.come(1)); r.extends(4.9) }, true},
		"the fifth comes with it":       {4, func(r *reign) { r.extends(4.9, r.come(1)) }, false},
		"all others went before":        {9, func(r *reign) { r.acts(3, r.come(-8)); r.extends(5.1) }, true},
		"all others go with it":         {9, func(r *reign) { r.extends(6, r.come(-8)) }, false},
		"a fifth begins":                {4, func(r *reign) { r.opens(5) }, false},
		"and has a longer one":          {4, func(r *reign) { r.opens(6.1) }, true},
		"a sixth begins":                {5, func(r *reign) { r.opens(6) }, false},
		"and has a shorter one":         {5, func(r *reign) { r.opens(4.9) }, true},
		"in the fail-over, as it was": {9, func(r *reign) {
			r.acts(4)
			r.w.OnReply(1, second(4), api.Reply{ID: 1, Session: 7, Result: api.Result{Code: api.OK, Detail: api.Leased{Lease: time.Second, Failover: true}}})
		}, false},
		"by the log, from when it was asked": {5, func(r *reign) { r.byTheLog(3); r.extends(4) }, false},
		"and shorter":                        {5, func(r *reign) { r.byTheLog(3); r.extends(3.9) }, true},
		"and longer":                         {5, func(r *reign) { r.byTheLog(2.5); r.extends(4.6) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := throng(t, c.sessions)
			r.beats(1, 1, 3)
			c.does(r)
			require.Equal(t, c.breaks, r.f.Failure() != nil, "%+v", r.f.Failure())
			if c.breaks {
				r.f.Breaks("S11")
			}
		})
	}
}

// byTheLog is a master without read authority; by the log it was master then.
func (r *reign) byTheLog(at float64) {
	r.c.lease = time.Time{}
	r.acts(1)
	r.proposes(at, command.ConfirmLeadership{Guard: 3})
	r.acts(at+0.5, command.Applied{Command: command.ConfirmLeadership{Guard: 3}, Verdict: command.Executed})
}

// With five sessions or more, a row of 6 s is right.
func TestS11TheLongestLeaseFollowsTheNumberOfSessions(t *testing.T) {
	for name, c := range map[string]struct {
		sessions int
		does     func(r *reign)
		breaks   bool
	}{
		"as many stay":                     {6, func(r *reign) { r.acts(50) }, false},
		"few are left, for a moment":       {1, func(r *reign) { r.acts(6); r.acts(6.9) }, false},
		"and longer than the longest":      {1, func(r *reign) { r.acts(6); r.acts(7) }, true},
		"and it sets the row":              {1, func(r *reign) { r.asks(6, 4); r.acts(60) }, false},
		"the row is set":                   {1, func(r *reign) { r.asks(6, 4); r.acts(6.5, r.rows(4)); r.acts(60) }, false},
		"to more than it should be":        {1, func(r *reign) { r.acts(6.5, r.rows(6)); r.acts(12.5); r.acts(13.4) }, false},
		"for too long":                     {1, func(r *reign) { r.acts(6.5, r.rows(6)); r.acts(12.5); r.acts(13.5) }, true},
		"it was asleep":                    {1, func(r *reign) { r.acts(5); r.w.Seats[1].Wake = second(6); r.acts(60); r.acts(60.9) }, false},
		"it woke up":                       {1, func(r *reign) { r.acts(5); r.w.Seats[1].Wake = second(6); r.acts(60); r.acts(61) }, true},
		"the log is full":                  {1, func(r *reign) { r.acts(6); r.c.refused++; r.acts(7.9) }, false},
		"it was once":                      {1, func(r *reign) { r.acts(6); r.c.refused++; r.acts(8); r.acts(9) }, true},
		"many come in time":                {1, func(r *reign) { r.acts(5, r.come(6)); r.acts(60) }, false},
		"and go again":                     {1, func(r *reign) { r.acts(5, r.come(6)); r.acts(6, r.come(-6)); r.acts(12); r.acts(12.9) }, false},
		"for good":                         {1, func(r *reign) { r.acts(5, r.come(6)); r.acts(6, r.come(-6)); r.acts(12); r.acts(13) }, true},
		"few are left as it is set":        {9, func(r *reign) { r.acts(2, r.come(-8), r.rows(7)); r.acts(5, r.come(4)); r.acts(9); r.acts(12.9) }, false},
		"and then more, for too long":      {9, func(r *reign) { r.acts(2, r.come(-8), r.rows(7)); r.acts(5, r.come(4)); r.acts(12); r.acts(13) }, true},
		"many come, and the row is low":    {1, func(r *reign) { r.acts(2, r.rows(4)); r.acts(3, r.come(4)); r.acts(3.9) }, false},
		"for too long a time":              {1, func(r *reign) { r.acts(2, r.rows(4)); r.acts(3, r.come(4)); r.acts(4) }, true},
		"it is raised":                     {1, func(r *reign) { r.acts(2, r.rows(4)); r.acts(3, r.come(4)); r.asks(3, 5); r.acts(60) }, false},
		"it is not raised enough":          {1, func(r *reign) { r.acts(2, r.rows(4)); r.acts(3, r.come(5)); r.asks(3, 5) }, true},
		"it is lowered too much":           {5, func(r *reign) { r.asks(6, 4) }, true},
		"it is set to what it is":          {6, func(r *reign) { r.asks(6, 6) }, true},
		"another one comes as it is asked": {4, func(r *reign) { r.proposes(6, command.LongestLease{Guard: 3, Lease: 4 * time.Second}, r.come(1)) }, false},
		"it is asked in another epoch":     {5, func(r *reign) { r.proposes(6, command.LongestLease{Guard: 2, Lease: 4 * time.Second}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := throng(t, c.sessions)
			c.does(r)
			require.Equal(t, c.breaks, r.f.Failure() != nil, "%+v", r.f.Failure())
			if c.breaks {
				r.f.Breaks("S11")
			}
		})
	}
}
