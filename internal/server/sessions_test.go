package server_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

// lines are lines of a log.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// logger logs to l, which has room for what a test logs.
func (l lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// await returns the first line that has all parts.
func (l lines) await(t *testing.T, ctx context.Context, parts ...string) string {
	t.Helper()
	for {
		select {
		case line := <-l:
			has := true
			for _, p := range parts {
				has = has && strings.Contains(line, p)
			}
			if has {
				return line
			}
		case <-ctx.Done():
			t.Fatalf("no line has %q", parts)
		}
	}
}

// At the limit of sessions a client is told so at once, and so is the operator.
func TestAClientIsToldThatTheLimitOfSessionsIsReached(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	log := make(lines, 1000)
	peers, clients := listen(t), listen(t)
	at := clients.Addr().String()
	cfg := server.Config{
		Cell: "test", ID: 1, Members: map[uint32]string{1: peers.Addr().String()}, Dir: filepath.Join(t.TempDir(), "1"),
		ListenClients: at, ListenHTTP: "127.0.0.1:0",
	}
	s, err := server.Start(cfg, server.Options{Bootstrap: true, Peers: peers, Clients: clients, Logger: log.logger()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	first, err := client.Dial(ctx, "1="+at)
	require.NoError(t, err)
	o := operatorOf(t, at, "", "ann")
	require.NoError(t, o.SetLimits(ctx, 1, &chubbyv1.SetLimitsRequest{Sessions: 1}))

	_, err = client.Dial(ctx, "1="+at)
	require.ErrorIs(t, err, client.ErrTooManySessions)
	require.ErrorContains(t, err, "too many sessions: 1 sessions are alive, and the limit is 1")
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, ctx.Err())
	d, err := o.Describe(ctx, 1)
	require.NoError(t, err)
	require.Len(t, d.GetWarnings(), 1)
	require.Contains(t, d.GetWarnings()[0], "Sessions alive: 1, and the limit is 1: the cell opens no other session.")
	log.await(t, ctx, "level=WARN", "the limit of sessions is reached", "limit=1")
	_, text := page(t, s, "/metrics")
	require.Contains(t, text, "\nchubby_sessions_limit 1\n")

	require.NoError(t, first.Close(ctx))
	next, err := client.Dial(ctx, "1="+at)
	require.NoError(t, err)
	require.NoError(t, next.Close(ctx))
}

// An operator ends a session: the replica logs the order once, with the caller, and answers how long the session may
// live. The client is told when it has ended, not before.
func TestAnOperatorEndsTheSessionOfAClient(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	log := make(lines, 1000)
	peers, clients := listen(t), listen(t)
	at := clients.Addr().String()
	cfg := server.Config{
		Cell: "test", ID: 1, Members: map[uint32]string{1: peers.Addr().String()}, Dir: filepath.Join(t.TempDir(), "1"),
		ListenClients: at, LeaseMin: time.Second,
	}
	s, err := server.Start(cfg, server.Options{Bootstrap: true, Peers: peers, Clients: clients, Logger: log.logger()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	require.NoError(t, s.Ready(ctx))
	cl, err := client.Dial(ctx, "1="+at, client.WithPrincipal("ann"))
	require.NoError(t, err)
	defer cl.Close(ctx)
	_, err = cl.Open(ctx, "/ls/local/f", client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
	require.NoError(t, err)
	id, o := uint64(cl.Status().Session), operatorOf(t, at, "", "eve")
	r, err := o.EndSession(ctx, 1, id+100)
	require.NoError(t, err)
	require.False(t, r.GetAlive())
	epoch := r.GetEpoch()
	require.Positive(t, epoch)

	r, err = o.EndSession(ctx, 1, id)
	require.NoError(t, err)
	require.True(t, r.GetAlive())
	require.Equal(t, "ann", r.GetPrincipal())
	require.Equal(t, epoch, r.GetEpoch())
	require.NotZero(t, r.GetLeaseLeftMs())
	require.LessOrEqual(t, r.GetLeaseLeftMs(), uint64(1000))
	log.await(t, ctx, `msg="end of session ordered"`, "by=eve", fmt.Sprint("session=", id, " "), "of=ann", "lease_left=")
	list, err := o.ListSessions(ctx, 1, &chubbyv1.ListSessionsRequest{Session: id})
	require.NoError(t, err)
	require.True(t, list.GetSessions()[0].GetEnding())
	require.Eventually(t, func() bool {
		r, err := o.EndSession(ctx, 1, id)
		require.NoError(t, err)
		return !r.GetAlive()
	}, 20*time.Second, 5*time.Millisecond)
	require.ErrorIs(t, cl.Put(ctx, "row", "value"), client.ErrSessionExpired)
	for range len(log) {
		require.NotContains(t, <-log, "end of session ordered", "once")
	}
}
