package rpc

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/replica/api"
)

const token = "0123456789abcdef01234567"

// bubble is a Server that knows one token, and the way to it. All is in a bubble of package synctest.
type bubble struct {
	*Server
	l *bufconn.Listener
}

// inBubble runs f with a Server, which it stops at the end.
func inBubble(t *testing.T, f func(t *testing.T, b bubble)) {
	synctest.Test(t, func(t *testing.T) {
		tokens, err := ParseTokens([]byte("bob " + token))
		require.NoError(t, err)
		s, err := NewServer(ServerConfig{
			Cell: "test", Replica: 1, AllowPlain: true, Tokens: tokens, Operator: idle{}, Deliver: func(uint64, api.Principal, []byte) bool { return true },
		})
		require.NoError(t, err)
		b := bubble{s, bufconn.Listen(1 << 20)}
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(b.l) }()
		t.Cleanup(func() {
			s.Stop(t.Context())
			require.NoError(t, <-ended)
		})
		f(t, b)
	})
}

// dial connects without words.
func (b bubble) dial(t *testing.T) net.Conn {
	conn, err := b.l.Dial()
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// conn is a connection of gRPC.
func (b bubble) conn(t *testing.T) *grpc.ClientConn {
	conn, err := grpc.NewClient("passthrough:///replica", grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return b.l.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// begin begins a call and sends no message.
func begin(ctx context.Context, t *testing.T, conn *grpc.ClientConn, method string) grpc.ClientStream {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
	require.NoError(t, err)
	return s
}

// watch watches the health of the server, and has its first answer.
func watch(ctx context.Context, t *testing.T, conn *grpc.ClientConn) grpc_health_v1.Health_WatchClient {
	w, err := grpc_health_v1.NewHealthClient(conn).Watch(ctx, &grpc_health_v1.HealthCheckRequest{})
	require.NoError(t, err)
	_, err = w.Recv()
	require.NoError(t, err)
	return w
}

// proven is a context with the token.
func proven(t *testing.T) context.Context {
	return metadata.AppendToOutgoingContext(t.Context(), keyToken, bearer+token)
}

// idle is an Operator that is not to be called.
type idle struct{ Operator }

// A check whose request does not come ends after a time, and a stream of a stranger goes on.
func TestACheckOfAStrangerEndsInTime(t *testing.T) {
	inBubble(t, func(t *testing.T, b bubble) {
		conn := b.conn(t)
		w := watch(t.Context(), t, conn)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := begin(ctx, t, conn, grpc_health_v1.Health_Check_FullMethodName).RecvMsg(&grpc_health_v1.HealthCheckResponse{})
		require.Equal(t, codes.DeadlineExceeded, status.Code(err), "%v", err)
		require.NoError(t, ctx.Err(), "it was the server")
		b.SetServing(true)
		r, err := w.Recv()
		require.NoError(t, err)
		require.Equal(t, grpc_health_v1.HealthCheckResponse_SERVING, r.GetStatus())
	})
}

// Strangers whose calls do not end neither keep a health check out, nor end the calls of clients.
func TestCallsOfStrangersAreBounded(t *testing.T) {
	inBubble(t, func(t *testing.T, b bubble) {
		conn := b.conn(t)
		w := watch(proven(t), t, conn)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var all []grpc.ClientStream
		for range mostAnonymous {
			all = append(all, begin(ctx, t, conn, grpc_health_v1.Health_Watch_FullMethodName))
		}
		synctest.Wait()
		require.Equal(t, mostAnonymous, b.anonymous.calls.Len())
		_, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
		require.NoError(t, err)
		err = all[0].RecvMsg(&grpc_health_v1.HealthCheckResponse{})
		require.Equal(t, codes.Canceled, status.Code(err), "%v", err)
		require.NoError(t, ctx.Err(), "it was the server")
		synctest.Wait()
		require.Equal(t, mostAnonymous-1, b.anonymous.calls.Len(), "the check has ended, too")
		for _, s := range all[1:] {
			require.NoError(t, s.SendMsg(&grpc_health_v1.HealthCheckRequest{}))
			require.NoError(t, s.CloseSend())
			require.NoError(t, s.RecvMsg(&grpc_health_v1.HealthCheckResponse{}))
		}
		b.SetServing(true)
		r, err := w.Recv()
		require.NoError(t, err)
		require.Equal(t, grpc_health_v1.HealthCheckResponse_SERVING, r.GetStatus())
		cancel()
		synctest.Wait()
		require.Zero(t, b.anonymous.calls.Len())
	})
}

// A stranger is refused before its request has come, whatever it calls.
func TestAStrangerIsRefusedBeforeItsRequestIsRead(t *testing.T) {
	inBubble(t, func(t *testing.T, b bubble) {
		conn := b.conn(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for _, method := range []string{
			chubbyv1.Operator_Describe_FullMethodName, chubbyv1.Operator_ListSessions_FullMethodName, chubbyv1.Operator_SetLimits_FullMethodName,
			chubbyv1.Operator_Backup_FullMethodName, chubbyv1.Cell_Datagrams_FullMethodName, "/other.Service/Method",
		} {
			err := begin(ctx, t, conn, method).RecvMsg(&chubbyv1.Datagram{})
			require.Equal(t, codes.Unauthenticated, status.Code(err), "%s: %v", method, err)
			require.ErrorContains(t, err, "the client shows no token")
		}
		require.Equal(t, 1, b.connections.unproven.Len(), "a refused call proves nothing")
	})
}

// A call that began with a token is refused if the token is gone when its request comes.
func TestATokenThatIsGoneIsOfNoUseToACallThatBegan(t *testing.T) {
	inBubble(t, func(t *testing.T, b bubble) {
		conn := b.conn(t)
		s := begin(proven(t), t, conn, chubbyv1.Operator_Describe_FullMethodName)
		synctest.Wait() // it has begun
		others, err := ParseTokens([]byte("ann " + token + "x"))
		require.NoError(t, err)
		b.SetTokens(others)
		require.NoError(t, s.SendMsg(&chubbyv1.DescribeRequest{}))
		require.NoError(t, s.CloseSend())
		err = s.RecvMsg(&chubbyv1.ReplicaDescription{})
		require.Equal(t, codes.Unauthenticated, status.Code(err), "%v", err)
	})
}

// A stream of a client that reads nothing ends, too, when another one gets its place.
func TestAClientThatDoesNotReadMakesRoom(t *testing.T) {
	inBubble(t, func(t *testing.T, b bubble) {
		b.cfg.MaxClients = 2
		conn := b.conn(t)
		begin(proven(t), t, conn, chubbyv1.Cell_Datagrams_FullMethodName)
		synctest.Wait()
		s := begin(proven(t), t, conn, chubbyv1.Cell_Datagrams_FullMethodName)
		synctest.Wait()
		for range 64 {
			b.Send(2<<portBits, make([]byte, 1<<20))
		}
		synctest.Wait()
		_, err := b.admit(caller{who: "ann"})
		require.NoError(t, err)
		require.Equal(t, 2, b.Clients())
		time.Sleep(leaveWithin) // of the bubble
		synctest.Wait()
		for err == nil {
			err = s.RecvMsg(&chubbyv1.Datagram{})
		}
		require.Equal(t, codes.Canceled, status.Code(err), "%v", err)
	})
}
