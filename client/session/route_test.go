package session_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client/session"
	"github.com/chubbycell/chubby/replica/api"
)

func other(ids ...uint32) uint32 {
	for id := uint32(1); id <= 3; id++ {
		free := true
		for _, x := range ids {
			free = free && x != id
		}
		if free {
			return id
		}
	}
	panic("no other")
}

func TestAHintIsFollowedAtOnce(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	tok := r.start(put)
	e := r.one()
	master := other(e.To)
	r.notMaster(e, master)
	e2 := r.one()
	require.Equal(t, master, e2.To)
	require.Equal(t, e.Request.Seq, e2.Request.Seq)
	r.notMaster(e, e.To) // a duplicate of a handled answer
	require.Empty(t, r.take())
	r.reply(e2, isOK)
	r.ended(tok, session.Executed, session.Answered, isOK)
	r.start(get)
	require.Equal(t, master, r.one().To, "everything goes to the master from now on")
}

func TestHintsThatAreNoneMakeItTryTheNextAfterAPause(t *testing.T) {
	for _, hint := range []string{"none", "itself"} {
		t.Run(hint, func(t *testing.T) {
			r := newRig(t, nil)
			r.open()
			r.start(put)
			e := r.one()
			if hint == "none" {
				r.notMaster(e, 0)
				require.Empty(t, r.take())
				r.sleep()
			} else {
				r.notMaster(e, e.To)
			}
			require.NotEqual(t, e.To, r.one().To)
		})
	}
}

// Two replicas that name each other: three sendings, then a pause, and so on
// with longer ones.
func TestALoopOfHintsDoesNotSpin(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	r.start(put)
	a := r.one()
	b := other(a.To)
	begin, sendings := r.now, 0
	for e := a; r.now.Sub(begin) < 10*time.Second; {
		sendings++
		hint := b
		if e.To == b {
			hint = a.To
		}
		r.notMaster(e, hint)
		got := r.take()
		if len(got) == 0 {
			r.sleep()
			got = r.take()
		}
		require.Len(t, got, 1)
		e = got[0]
	}
	require.Less(t, sendings, 60)
}

func TestAMasterThatAnswersOthersIsNotLeftForOneLostAnswer(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	r.start(put)
	lost := r.one()
	r.pass(time.Millisecond)
	r.start(put)
	r.reply(r.one(), isOK)
	r.pass(99 * time.Millisecond)
	require.Equal(t, lost.To, r.one().To)
	r.sleep()
	require.NotEqual(t, lost.To, r.one().To, "silent since the last sending")
}

func TestManyCallsThatTimeOutTogetherTurnOnce(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	for range 3 {
		r.start(put)
	}
	from := r.take()[0].To
	r.sleep()
	got := r.take()
	require.Len(t, got, 3)
	for _, e := range got {
		require.NotEqual(t, from, e.To)
		require.Equal(t, got[0].To, e.To)
	}
}

// A deposed master that does not know it refuses for ever.
func TestAReplicaThatKeepsRefusingIsLeft(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	r.start(put)
	e := r.one()
	for i := range 4 {
		r.reply(e, api.Result{Code: api.Busy})
		r.take()
		r.sleep()
		next := r.one()
		require.Equal(t, i == 3, next.To != e.To, "sending %d", i)
		e = next
	}
}

// A busy master that knows that it is master is asked again after longer and longer pauses, and
// the client does not leave it.
func TestAMasterThatHasTooMuchToDoIsNotLeft(t *testing.T) {
	r := newRig(t, nil)
	r.open()
	r.start(put)
	e := r.one()
	last := time.Duration(0)
	for range 13 {
		p := e.Request.Answer(1, api.Result{Code: api.Later})
		p.Master = e.To
		r.m.Receive(r.now, e.To, p)
		r.take()
		pause := r.wake.Sub(r.now)
		require.GreaterOrEqual(t, pause, last)
		last = pause
		r.sleep()
		next := r.one()
		require.Equal(t, e.To, next.To)
		e = next
	}
	r.reply(e, isOK)
}

// Nor is one that is in fail-over: the KeepAlives that it waits for would go elsewhere
// with the calls. A client that sends no KeepAlives cannot learn otherwise that the master was
// deposed, and leaves it.
func TestAMasterInFailoverIsNotLeft(t *testing.T) {
	for _, keeps := range []bool{true, false} {
		r := newRig(t, nil)
		if keeps {
			r, _ = leased(t)
		} else {
			r.open()
		}
		r.start(put)
		e, left := r.one(), false
		for range 12 {
			p := e.Request.Answer(1, api.Result{Code: api.Recovering})
			p.Master = e.To
			r.m.Receive(r.now, e.To, p)
			r.take()
			r.sleep()
			next := r.one()
			left = left || next.To != e.To
			e = next
		}
		require.Equal(t, !keeps, left)
	}
}

// The client left the target because of refusals, and then gets its answer to another call. If
// the target answers as the master it becomes the target again; if it was deposed, it does not.
func TestAMasterThatAnswersIsTurnedTo(t *testing.T) {
	for _, deposed := range []bool{false, true} {
		r := newRig(t, nil)
		r.open()
		r.start(put)
		parked := r.one()
		r.reply(parked, api.Result{Code: api.Parked})
		r.start(put)
		e := r.one()
		for e.To == parked.To {
			r.reply(e, api.Result{Code: api.Busy})
			r.take()
			r.sleep()
			e = r.one()
		}
		p := parked.Request.Answer(1, isOK)
		if p.Master = parked.To; deposed {
			p.Master = e.To
		}
		r.m.Receive(r.now, parked.To, p)
		r.take()
		r.start(put)
		require.Equal(t, deposed, r.one().To != parked.To)
	}
}

func TestReplicasAreTriedInADrawnOrder(t *testing.T) {
	seen := map[uint32]bool{}
	for seed := range uint64(20) {
		n := seed
		m, err := session.New(session.Config{Replicas: []uint32{1, 2, 3}, Draw: func() uint64 { n = n*6364136223846793005 + 1442695040888963407; return n >> 33 }})
		require.NoError(t, err)
		m.Open(time.Unix(1, 0))
		seen[m.TakeOutput().Send[0].To] = true
	}
	require.Len(t, seen, 3)
}

// Slow calls make the client try other replicas, which are down. Its KeepAlive stays with the
// master that answered the last one, and so does the next one, when the answer is overdue. If
// the master does not answer that one either, the client leaves it.
func TestSlowCallsTakeNoKeepAliveWithThem(t *testing.T) {
	for name, does := range map[string]func(r *rig, e session.Envelope, leased api.Reply){
		"answers": func(r *rig, e session.Envelope, leased api.Reply) {
			r.m.Receive(r.now, e.To, leased)
			require.Equal(t, e.To, r.m.Status().Target, "it answers for the cell")
		},
		"refuses": func(r *rig, e session.Envelope, _ api.Reply) { r.notMaster(e, 0) },
		"is down": func(*rig, session.Envelope, api.Reply) {},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			r.m.Open(r.now)
			e := r.one()
			master := e.To
			leased := func(e session.Envelope) api.Reply {
				p := e.Request.Answer(1, api.Result{Code: api.OK, Detail: api.Leased{Lease: time.Minute}})
				p.Master = master
				return p
			}
			r.reply(e, api.Result{Code: api.OK, Session: 7})
			e = r.one()
			r.m.Receive(r.now, e.To, leased(e))
			held := r.one()
			beats := func() (all []session.Envelope) {
				r.take()
				for _, s := range r.sent {
					if _, keeps := s.Request.Op.(api.KeepAlive); keeps && s.Request.ID > held.Request.ID {
						all = append(all, s)
					}
				}
				return all
			}
			r.start(put)
			require.Equal(t, master, r.one().To)
			for range 10 {
				r.pass(100 * time.Millisecond)
			}
			require.Empty(t, beats(), "it is held, for all that is known")

			r.pass(45 * time.Second)
			require.NotEqual(t, master, r.m.Status().Target)
			all := beats()
			require.Len(t, all, 1)
			require.Equal(t, master, all[0].To)
			require.True(t, all[0].Request.Op.(api.KeepAlive).Now)
			does(r, all[0], leased(all[0]))
			r.pass(time.Second)
			all = beats()
			require.Greater(t, len(all), 1)
			require.Equal(t, name == "answers", all[1].To == master)
		})
	}
}

// The KeepAlive goes from a silent master to other replicas, and back with the calls. However
// often that happened, a replica that answers a KeepAlive as the master is sent the next one,
// even if the answer was not to the newest.
func TestAKeepAliveComesBackToTheMaster(t *testing.T) {
	r, _ := leased(t)
	r.take()
	master := r.sent[len(r.sent)-1].To
	last := func() (e session.Envelope) {
		r.take()
		for _, s := range r.sent {
			if _, keeps := s.Request.Op.(api.KeepAlive); keeps {
				e = s
			}
		}
		return e
	}
	slow := func() (e session.Envelope) { // a call that is not answered in time
		r.start(put)
		e = r.one()
		require.Equal(t, master, e.To)
		r.pass(100 * time.Millisecond)
		require.NotEqual(t, master, last().To)
		return e
	}
	answered := func(e session.Envelope, res api.Result) {
		p := e.Request.Answer(1, res)
		p.Master = master
		r.m.Receive(r.now, master, p)
	}
	call := slow()
	r.pass(100 * time.Millisecond) // the third replica is silent as well, and asked
	answered(call, isOK)
	kept := last()
	require.Equal(t, master, kept.To)
	answered(slow(), isOK)
	astray := last()
	answered(kept, api.Result{Code: api.OK, Detail: api.Leased{Lease: time.Minute}})
	require.Equal(t, master, last().To)
	require.NotEqual(t, astray.Request.ID, last().Request.ID)
}

// A KeepAlive says which answers the client has, so that an idle one leaves none at the master.
func TestAKeepAliveSaysWhichCallsAreOver(t *testing.T) {
	r, _ := leased(t)
	newest := func() (e session.Envelope) {
		r.take()
		for _, s := range r.sent {
			if _, keeps := s.Request.Op.(api.KeepAlive); keeps && s.Request.ID > e.Request.ID {
				e = s
			}
		}
		return e
	}
	next := func() api.Seq {
		keep := newest()
		p := keep.Request.Answer(1, api.Result{Code: api.OK, Detail: api.Leased{Lease: time.Minute}})
		p.Master = keep.To
		r.m.Receive(r.now, keep.To, p)
		r.pass(time.Second)
		require.Greater(t, newest().Request.ID, keep.Request.ID)
		return newest().Request.AckedThrough
	}
	require.Zero(t, next())
	r.start(put)
	call := r.one()
	require.Equal(t, call.Request.Seq-1, next(), "its answer is waited for")
	r.reply(call, isOK)
	require.Equal(t, call.Request.Seq, next())
}

// A replica of an older program refuses a KeepAlive with AckedThrough, as those refuse all that give no leases. Its
// clients do without, and keep their leases.
func TestAKeepAliveThatAnOlderReplicaRefuses(t *testing.T) {
	r, keep := leased(t)
	beat := func(epoch api.Epoch, code api.Code) session.Envelope {
		p := keep.Request.Answer(epoch, api.Result{Code: code})
		if code == api.OK {
			p.Detail = api.Leased{Lease: time.Minute}
		}
		p.Master = keep.To
		r.m.Receive(r.now, keep.To, p)
		r.pass(time.Second)
		r.take()
		for _, s := range r.sent {
			if _, keeps := s.Request.Op.(api.KeepAlive); keeps && s.Request.ID > keep.Request.ID {
				keep = s
			}
		}
		return keep
	}
	r.start(put)
	call := r.one()
	r.reply(call, isOK)
	acked := call.Request.Seq
	require.Equal(t, acked, beat(1, api.OK).Request.AckedThrough)
	refused := keep
	require.Zero(t, beat(1, api.Invalid).Request.AckedThrough)
	require.NotEqual(t, refused.Request.ID, keep.Request.ID)
	require.Equal(t, session.Valid, r.m.Status().Lease)
	require.Zero(t, beat(1, api.OK).Request.AckedThrough)
	r.m.Receive(r.now, refused.To, refused.Request.Answer(1, api.Result{Code: api.Invalid})) // a copy of that answer
	require.Equal(t, session.Valid, r.m.Status().Lease)

	require.Equal(t, acked, beat(2, api.OK).Request.AckedThrough, "the next master may be newer")
	require.Zero(t, beat(2, api.Invalid).Request.AckedThrough)
	beat(2, api.Invalid)
	require.Equal(t, session.NoLease, r.m.Status().Lease, "it gives no leases")
}
