package server_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/server"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
)

func operatorOf(t *testing.T, addr, token, principal string) *rpc.Client {
	c, err := rpc.NewClient(rpc.ClientConfig{
		Replicas: map[uint32]string{1: addr}, Token: token, Principal: principal, Deliver: func(uint32, []byte) {},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// Operators are told of all sessions, the others of their own, and strangers of nothing.
func TestOperatorsAndTheOthersAreToldOfSessions(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	const ann, bob = "ann-ann-ann-ann-ann-ann-ann", "bob-bob-bob-bob-bob-bob-bob"
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(file, []byte("ann "+ann+"\nbob "+bob+"\n"), 0o600))
	peers, clients := listen(t), listen(t)
	at := clients.Addr().String()
	cfg := server.Config{
		Cell: "test", ID: 1, Members: map[uint32]string{1: peers.Addr().String()}, Dir: filepath.Join(t.TempDir(), "1"),
		ListenClients: at, TokenFile: file, Operators: "eve, ann",
	}
	s, err := server.Start(cfg, server.Options{Bootstrap: true, Peers: peers, Clients: clients})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	require.NoError(t, s.Ready(ctx))
	for token, sessions := range map[string]int{ann: 1, bob: 2} {
		for range sessions {
			cl, err := client.Dial(ctx, "1="+at, client.WithToken(token))
			require.NoError(t, err)
			defer cl.Close(ctx)
			f, err := cl.Open(ctx, "/ls/local/of-"+token, client.OpenOptions{Rights: client.Write, Create: client.CreateMay})
			require.NoError(t, err)
			_, err = f.TryAcquire(ctx, client.Shared)
			require.NoError(t, err)
		}
	}

	all := func(token string) (principals []string, own bool) {
		c, after := operatorOf(t, at, token, ""), uint64(0)
		for more := true; more; {
			l, err := c.ListSessions(ctx, 1, &chubbyv1.ListSessionsRequest{After: after, Most: 1})
			require.NoError(t, err)
			require.LessOrEqual(t, len(l.GetSessions()), 1)
			for _, s := range l.GetSessions() {
				require.Greater(t, s.GetId(), after)
				require.True(t, s.GetKnown() && s.GetAcknowledged() && !s.GetEnding())
				require.Positive(t, s.GetLeaseLeftMs())
				require.Equal(t, []uint32{1, 1}, []uint32{s.GetHandles(), s.GetLocks()})
				principals, after = append(principals, s.GetPrincipal()), s.GetId()
				one, err := c.ListSessions(ctx, 1, &chubbyv1.ListSessionsRequest{Session: s.GetId()})
				require.NoError(t, err)
				require.Len(t, one.GetSessions(), 1)
				require.Contains(t, one.GetSessions()[0].GetOpen()[0].GetPath(), "/of-"+s.GetPrincipal())
				require.Equal(t, "shared", one.GetSessions()[0].GetHeld()[0].GetMode())
			}
			more, own = l.GetMore(), l.GetOwnOnly()
		}
		return principals, own
	}
	set := &chubbyv1.SetLimitsRequest{Sessions: 77}
	err = operatorOf(t, at, bob, "").SetLimits(ctx, 1, set)
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	require.ErrorContains(t, err, `"bob" is no operator of the cell`)
	require.NoError(t, operatorOf(t, at, ann, "").SetLimits(ctx, 1, set))
	require.Equal(t, codes.InvalidArgument, status.Code(operatorOf(t, at, ann, "").SetLimits(ctx, 1, &chubbyv1.SetLimitsRequest{})))
	for _, s := range []uint64{1, 1 << 40} { // whether it is alive or not
		_, err = operatorOf(t, at, bob, "").EndSession(ctx, 1, s)
		require.Equal(t, codes.PermissionDenied, status.Code(err))
		require.ErrorContains(t, err, `"bob" is no operator of the cell`)
	}
	_, err = operatorOf(t, at, bob, "").Resign(ctx, 1)
	require.Equal(t, codes.PermissionDenied, status.Code(err))
	require.ErrorContains(t, err, `"bob" is no operator of the cell`)
	d, err := operatorOf(t, at, bob, "").Describe(ctx, 1)
	require.NoError(t, err)
	require.EqualValues(t, 77, d.GetLimits().GetSessions())

	principals, own := all(ann)
	require.ElementsMatch(t, []string{"ann", "bob", "bob"}, principals)
	require.False(t, own)
	principals, own = all(bob)
	require.Equal(t, []string{"bob", "bob"}, principals)
	require.True(t, own)
	l, err := operatorOf(t, at, ann, "").ListSessions(ctx, 1, &chubbyv1.ListSessionsRequest{})
	require.NoError(t, err)
	for _, s := range l.GetSessions() {
		if s.GetPrincipal() == "ann" {
			other, err := operatorOf(t, at, bob, "").ListSessions(ctx, 1, &chubbyv1.ListSessionsRequest{Session: s.GetId()})
			require.NoError(t, err)
			require.Empty(t, other.GetSessions())
		}
	}
	_, err = operatorOf(t, at, "", "ann").ListSessions(ctx, 1, &chubbyv1.ListSessionsRequest{})
	require.Equal(t, codes.Unauthenticated, status.Code(err))
	_, err = operatorOf(t, at, "", "ann").Describe(ctx, 1)
	require.Equal(t, codes.Unauthenticated, status.Code(err))

	d, err = operatorOf(t, at, bob, "").Describe(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, "leader serving", d.GetRole()+" "+d.GetState())
	require.True(t, d.GetServing())
	require.Positive(t, d.GetLeaseLeftMs())
	require.EqualValues(t, 3, d.GetSessions())
	require.EqualValues(t, 2, d.GetLocksHeld())
	require.Len(t, d.GetMembers(), 1)
	require.True(t, d.GetMembers()[0].GetConnected())
	require.EqualValues(t, 12_000, d.GetLimits().GetSessionLeaseMs())
	require.EqualValues(t, 1<<14, d.GetLimits().GetPrincipalNodes())
	require.EqualValues(t, rpc.DefaultClients, d.GetLimits().GetClients())
	require.Empty(t, d.GetWarnings())

	cfg.Operators = "ann,,bob"
	require.ErrorContains(t, cfg.Validate(), `operators: "" cannot be the name of a principal`)
}
