package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/replica/api"
)

// What was said of a replica long ago is told with its age: no message has been sent to it since, and it
// may serve again.
func TestAnOutageIsToldWithItsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialed{target: Target{Replicas: map[uint32]string{1: "a:1", 2: "b:2"}}, errs: map[uint32]outage{}, refused: map[uint32]error{}, said: map[uint32]refusal{}}
		ctx, returned := context.WithCancel(t.Context())
		returned()
		d.ctx = ctx
		d.rt = NewRuntime(func(Replica, []byte) {})
		c := &Client{dialed: d}
		require.NoError(t, c.Unreached())
		d.failed(2, errors.New("connection refused"))
		require.EqualError(t, c.Unreached(), "replica 2 at b:2: connection refused")
		time.Sleep(34 * time.Second)
		require.EqualError(t, c.Unreached(), "replica 2 at b:2: connection refused, 34s ago, and not tried since")
		d.failed(2, errors.New("connection refused")) // again
		require.EqualError(t, c.Unreached(), "replica 2 at b:2: connection refused")
		d.deliver(2, nil)
		require.NoError(t, c.Unreached())
	})
}

// A replica that lacks a new token, or is another one, does not keep Dial from the others. Where all refuse, Dial ends,
// and says why each does.
func TestDialGivesUpWhenAllReplicasRefuse(t *testing.T) {
	ctx, giveUp := context.WithCancelCause(t.Context())
	d := &dialed{target: Target{Replicas: map[uint32]string{1: "a:1", 2: "b:2", 3: "c:3"}}, ctx: ctx, giveUp: giveUp, errs: map[uint32]outage{}, refused: map[uint32]error{}, said: map[uint32]refusal{}}
	d.rt = NewRuntime(func(Replica, []byte) {})
	noToken, other := status.Error(codes.Unauthenticated, "does not know the token"), status.Error(codes.FailedPrecondition, "is another replica")
	d.failed(3, other)
	d.failed(1, noToken)
	d.failed(1, noToken) // again
	d.failed(2, errors.New("connection refused"))
	require.NoError(t, ctx.Err(), "replica 2 may serve when it is back")
	timeout := d.explain(ctx, "it", &Error{Op: "ready", Causes: []error{context.DeadlineExceeded}})
	require.EqualError(t, timeout, `client: dial "it": context deadline exceeded: replica 1 at a:1: does not know the token: replica 2 at b:2: connection refused: replica 3 at c:3: is another replica`)

	d.deliver(3, nil)
	d.failed(2, noToken)
	require.NoError(t, ctx.Err(), "replica 3 has answered since")
	d.failed(3, other)
	require.Error(t, ctx.Err())
	why := d.explain(ctx, "it", errors.New("unused"))
	require.ErrorIs(t, why, ErrPermission)
	require.ErrorIs(t, why, ErrInvalid)
	require.EqualError(t, why, `client: dial "it": permission denied: replica 1 at a:1: does not know the token`+"\n"+
		"permission denied: replica 2 at b:2: does not know the token\ninvalid: replica 3 at c:3: is another replica")
}

// A Dial that ends before a connection was made, or was refused, says which replicas have been silent.
func TestDialNamesReplicasThatHaveNotAnswered(t *testing.T) {
	d := &dialed{target: Target{Replicas: map[uint32]string{1: "a:1", 2: "b:2", 3: "c:3"}}, ctx: t.Context(), errs: map[uint32]outage{}, refused: map[uint32]error{}, said: map[uint32]refusal{}}
	d.rt = NewRuntime(func(Replica, []byte) {})
	p := (&api.Request{ID: 7, Op: api.OpenSession{Nonce: api.Nonce{1}}}).Answer(2, api.Result{Code: api.NotMaster})
	d.onAnswer(3, api.AppendReply(nil, p))
	d.failed(2, errors.New("connection refused"))
	why := d.explain(t.Context(), "it", &Error{Op: "ready", Causes: []error{context.DeadlineExceeded}})
	require.ErrorIs(t, why, context.DeadlineExceeded)
	require.ErrorContains(t, why, "replica 2 at b:2: connection refused")
	require.ErrorContains(t, why, "replica 1 at a:1 has not answered")
	require.NotContains(t, why.Error(), "b:2 has not")
	require.NotContains(t, why.Error(), "c:3 has not")
}

// Dial does not wait for a master that it will never reach, since the address is another replica's. A master that does not
// know a token may have it soon.
func TestDialGivesUpWhenTheMasterHasAnotherAddress(t *testing.T) {
	ctx, giveUp := context.WithCancelCause(t.Context())
	d := &dialed{target: Target{Replicas: map[uint32]string{1: "a:1", 2: "b:2", 3: "c:3"}}, ctx: ctx, giveUp: giveUp, errs: map[uint32]outage{}, refused: map[uint32]error{}, said: map[uint32]refusal{}}
	d.rt = NewRuntime(func(Replica, []byte) {})
	names := func(from, master uint32) {
		q := api.Request{ID: 7, Op: api.OpenSession{Nonce: api.Nonce{1}}}
		p := q.Answer(2, api.Result{Code: api.NotMaster})
		p.Master = master
		d.deliver(from, api.AppendReply(nil, p))
	}
	other := status.Error(codes.FailedPrecondition, "is replica 2")
	d.failed(1, other)
	require.NoError(t, ctx.Err(), "no replica names the master")
	names(2, 1)
	names(3, 2)
	d.failed(1, other)
	require.NoError(t, ctx.Err(), "replica 3 knows another master")
	names(3, 0)
	d.failed(1, other)
	require.NoError(t, ctx.Err(), "replica 3 may hear of another master")
	names(3, 1)
	d.failed(1, status.Error(codes.Unauthenticated, "does not know the token"))
	require.NoError(t, ctx.Err(), "the master may have the token soon")
	d.failed(1, other)
	require.EqualError(t, d.explain(ctx, "it", errors.New("unused")), `client: dial "it": invalid: replica 1 at a:1: is replica 2`)
}

// Where no replica serves, Dial says what each does, also of the master that recovers.
func TestDialSaysThatTheMasterRecovers(t *testing.T) {
	d := &dialed{target: Target{Replicas: map[uint32]string{1: "a:1", 2: "b:2", 3: "c:3"}}, ctx: t.Context(), said: map[uint32]refusal{}}
	d.rt = NewRuntime(func(Replica, []byte) {})
	q := api.Request{ID: 7, Op: api.OpenSession{Nonce: api.Nonce{1}}}
	for from, code := range map[uint32]api.Code{1: api.NotMaster, 3: api.Recovering} {
		p := q.Answer(2, api.Result{Code: code})
		p.Master = 3
		d.deliver(from, api.AppendReply(nil, p))
	}
	require.EqualError(t, errors.Join(d.strayed()...), "replica 1 at a:1 answers, and names replica 3 as the master\n"+
		"replica 3 at c:3 is the master since a fail-over, and "+recovers)

	d.errs, d.refused = map[uint32]outage{}, map[uint32]error{}
	d.failed(3, status.Error(codes.Unavailable, "connection refused"))
	require.EqualError(t, errors.Join(append(d.unreached(), d.strayed()...)...), "replica 3 at c:3: connection refused\n"+
		"replica 1 at a:1 answers, and names replica 3 as the master")
}

// A call of a Client that Dial made says why it has no answer, if no other call was answered meanwhile.
func TestACallSaysWhatItWaitsFor(t *testing.T) {
	for code, want := range map[api.Code]string{
		api.Recovering: "replica 2 is the master since a fail-over, and " + recovers,
		api.NotMaster:  "replica 2 answers, and names replica 3 as the master",
		api.Busy:       "the last session is over, and replica 2 opens no other now: it has too much work, or the cell has as many sessions as it may (chubby session list)",
	} {
		synctest.Test(t, func(t *testing.T) {
			var rt *Goroutines
			rt = NewRuntime(func(to Replica, msg []byte) {
				q, err := api.DecodeRequest(msg)
				if err != nil || to.ID != 2 {
					return
				}
				p := q.Answer(1, api.Result{Code: code})
				p.Master = 3
				go rt.Deliver(to, api.AppendReply(nil, p))
			})
			c := New(rt, Config{Replicas: []uint32{1, 2}, Draw: Entropy})
			c.local.setOutages(func() []error { return []error{errors.New("replica 1: connection refused")} })
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			require.EqualError(t, c.Put(ctx, "k", "v"), `client: put "k": context deadline exceeded: replica 1: connection refused: `+want)

			rt.ReportUnreachable(Replica{ID: 2})
			c.local.mu.Lock()
			require.Equal(t, c.local.outages(), c.local.waitsFor(&call{begun: time.Now()}), "what replica 2 answered is of the past")
			c.local.mu.Unlock()

			synctest.Wait()
			c.local.mu.Lock()
			c.local.noteAnswer(time.Now().Add(time.Second), 2, api.Reply{Seq: 1, Result: api.Result{Code: api.OK}})
			c.local.mu.Unlock()
			ctx, cancel = context.WithTimeout(t.Context(), 0)
			defer cancel()
			c.local.mu.Lock()
			require.Empty(t, c.local.waitsFor(&call{begun: time.Now()}))
			c.local.mu.Unlock()
			_ = c.Close(ctx)
			rt.Close()
		})
	}
}

// A Close whose context ends leaves the connections open for one that waits for the cell's answer.
func TestACloseThatGivesUpLeavesTheConnectionsToAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rt *Goroutines
		rt = NewRuntime(func(to Replica, msg []byte) {
			q, err := api.DecodeRequest(msg)
			if err != nil {
				panic(err)
			}
			result, pause := api.Result{Code: api.OK, Session: 1}, time.Millisecond
			switch q.Op.(type) {
			case api.KeepAlive:
				result = api.Result{Code: api.Invalid} // no leases
			case api.EndSession:
				pause = 10 * time.Second
			}
			p := q.Answer(1, result)
			p.Master = to.ID
			time.AfterFunc(pause, func() { rt.Deliver(to, api.AppendReply(nil, p)) })
		})
		c := New(rt, Config{Replicas: []uint32{1}, Draw: Entropy, AnswerWait: time.Minute, RetryMax: time.Minute})
		c.dialed = &dialed{rt: rt}
		c.dialed.once.Do(func() {}) // it has no connections
		require.NoError(t, c.Ready(t.Context()))

		done := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			done <- c.Close(ctx)
		}()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, c.Close(ctx), ErrOutcomeUnknown)
		require.NoError(t, <-done)
		require.True(t, rt.closed)
	})
}
