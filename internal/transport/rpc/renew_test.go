package rpc_test

import (
	"context"
	"crypto/tls"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/transport/certtest"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/replica/api"
)

func tokensOf(t *testing.T, text string) *rpc.Tokens {
	tokens, err := rpc.ParseTokens([]byte(text))
	require.NoError(t, err)
	return tokens
}

// A client whose token is taken away is cut off, and no other. With a new token it comes back.
func TestATokenThatIsGoneEndsTheStream(t *testing.T) {
	other := strings.Repeat("o", 24)
	r := serve(t, func(c *rpc.ServerConfig) {
		c.TrustNames, c.Tokens = false, tokensOf(t, "bob "+long+"\ncarol "+other)
	})
	var token atomic.Value
	token.Store(long)
	bob := dial(t, r.addr, func(d *rpc.ClientConfig) { d.RenewToken = func() string { return token.Load().(string) } })
	carol := dial(t, r.addr, func(d *rpc.ClientConfig) { d.Token = other })
	for p, name := range map[*process]string{bob: "bob", carol: "carol"} {
		p.Send(1, []byte("x"))
		p.hears(t, "1: "+name+" said x")
	}
	renewed := strings.Repeat("n", 24)
	r.SetTokens(tokensOf(t, "bob "+renewed+"\ncarol "+other))
	bob.fails(t, codes.Unauthenticated, "does not know the token")
	carol.Send(1, []byte("still here"))
	carol.hears(t, "1: carol said still here")
	token.Store(renewed)
	require.Eventually(t, func() bool {
		bob.Send(1, []byte("back"))
		select {
		case got := <-bob.got:
			return got == "1: bob said back"
		case <-bob.failed:
		case <-time.After(100 * time.Millisecond):
		}
		return false
	}, wait, time.Millisecond)

	r.SetTokens(tokensOf(t, "mallory "+renewed+"\ncarol "+other))
	bob.fails(t, codes.Unauthenticated, "the token of bob is that of mallory now")
}

// A client that does not read keeps the replica from ending its stream. Nothing that it sends is delivered any more.
func TestATokenThatIsGoneIsOfNoUseToAClientThatDoesNotRead(t *testing.T) {
	var r *replica
	heard, runs := make(chan string, 10), make(chan struct{})
	r = serve(t, func(c *rpc.ServerConfig) {
		c.TrustNames, c.Tokens = false, tokensOf(t, "bob "+long)
		c.Deliver = func(from uint64, _ api.Principal, msg []byte) bool {
			<-runs
			for range 8 {
				r.Send(from, make([]byte, 1<<18)) // more than a stream holds
			}
			heard <- string(msg)
			return true
		}
	})
	close(runs)
	conn, err := grpc.NewClient("passthrough:///"+r.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+long), wait)
	defer cancel()
	s, err := chubbyv1.NewCellClient(conn).Datagrams(ctx)
	require.NoError(t, err)
	require.NoError(t, s.Send(&chubbyv1.Datagram{Message: []byte("early")}))
	require.Equal(t, "early", <-heard)
	hearsNothing := func() {
		require.Never(t, func() bool { return len(heard) > 0 }, 100*time.Millisecond, 10*time.Millisecond)
	}
	hearsNothing() // meanwhile the replica sends, and then waits for the client
	r.SetTokens(tokensOf(t, "carol "+long))
	require.NoError(t, s.Send(&chubbyv1.Datagram{Message: []byte("late")}))
	hearsNothing()
	for err == nil { // it reads now
		_, err = s.Recv()
	}
	require.Equal(t, codes.Unauthenticated, status.Code(err), "%v", err)
	require.Empty(t, heard)
}

// Each handshake is made with the newest certificates, on both sides.
func TestEachHandshakeTakesTheNewestCertificates(t *testing.T) {
	first, second := certtest.New(t), certtest.New(t)
	side := func(a *certtest.Authority, name string) *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{a.Issue(t, name)}, RootCAs: a.Pool, ClientCAs: a.Pool}
	}
	var server, client atomic.Pointer[tls.Config]
	server.Store(side(first, "replica"))
	client.Store(side(first, "ann"))
	r := serve(t, func(c *rpc.ServerConfig) { c.TrustNames, c.TLS, c.RenewTLS = false, server.Load(), server.Load })
	renewing := func(d *rpc.ClientConfig) { d.TLS, d.RenewTLS = client.Load(), client.Load }
	p := dial(t, r.addr, renewing)
	p.Send(1, []byte("x"))
	p.hears(t, "1: ann said x")
	server.Store(side(second, "replica"))
	p.Send(1, []byte("y"))
	p.hears(t, "1: ann said y")

	q := dial(t, r.addr, renewing)
	q.Send(1, []byte("x"))
	q.fails(t, codes.FailedPrecondition, "unknown authority")
	client.Store(side(second, "bob"))
	require.Eventually(t, func() bool {
		q.Send(1, []byte("x"))
		select {
		case got := <-q.got:
			return got == "1: bob said x"
		case <-q.failed:
		case <-time.After(100 * time.Millisecond):
		}
		return false
	}, wait, time.Millisecond)
}

func TestAStampChangesWithItsFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	require.Empty(t, rpc.Stamp("", ""))
	seen := map[string]bool{rpc.Stamp(name): true}
	require.NoError(t, os.WriteFile(name, []byte("1"), 0o600))
	seen[rpc.Stamp(name, "")] = true
	require.Equal(t, rpc.Stamp(name), rpc.Stamp("", name))
	require.NoError(t, os.Chtimes(name, time.Time{}, time.Unix(1, 0)))
	seen[rpc.Stamp(name)] = true
	require.NoError(t, os.Remove(name))
	seen[rpc.Stamp(name)] = true
	require.Len(t, seen, 3)
}

// A file that takes the place of another one, as mv and a changed link do, may have its length and its time: some systems
// give all files one time.
func TestAStampChangesWithAFileOfTheSameLengthAndTime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs files with numbers that package os tells, which the machines of .ci/run have")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	for _, text := range []string{"1", "2"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, text), []byte(text), 0o600))
		require.NoError(t, os.Chtimes(filepath.Join(dir, text), time.Time{}, time.Unix(1, 0)))
	}
	require.NoError(t, os.Symlink("1", name))
	was := rpc.Stamp(name)
	require.Equal(t, was, rpc.Stamp(name))
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.Symlink("2", name))
	require.NotEqual(t, was, rpc.Stamp(name))
}
