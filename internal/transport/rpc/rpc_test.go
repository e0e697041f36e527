package rpc_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/internal/transport/certtest"
	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/replica/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wait bounds what a test waits for.
const wait = 20 * time.Second

// replica answers each message with who sent it and what it said.
type replica struct {
	*rpc.Server
	addr string
}

func serve(t *testing.T, change func(*rpc.ServerConfig)) *replica {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &replica{addr: l.Addr().String()}
	var ready sync.WaitGroup
	ready.Add(1)
	cfg := rpc.ServerConfig{Cell: "test", Replica: 1, TrustNames: true, Deliver: func(from uint64, who api.Principal, msg []byte) bool {
		ready.Wait()
		r.Send(from, fmt.Appendf(nil, "%s said %s", who, msg))
		return true
	}}
	if change != nil {
		change(&cfg)
	}
	r.Server, err = rpc.NewServer(cfg)
	require.NoError(t, err)
	ready.Done()
	done := make(chan error, 1)
	go func() { done <- r.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		r.Stop(ctx)
		require.NoError(t, <-done)
		require.Zero(t, r.Clients())
	})
	return r
}

// process is a client and what it hears.
type process struct {
	*rpc.Client
	got    chan string
	failed chan error
}

func dial(t *testing.T, addr string, change func(*rpc.ClientConfig)) *process {
	t.Helper()
	p := &process{got: make(chan string, 1000), failed: make(chan error, 1000)}
	cfg := rpc.ClientConfig{
		Cell: "test", Replicas: map[uint32]string{1: addr}, Principal: "ann",
		Deliver: func(from uint32, msg []byte) { p.got <- fmt.Sprintf("%d: %s", from, msg) },
		Failed:  func(_ uint32, err error) { p.failed <- err },
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	p.Client, err = rpc.NewClient(cfg)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// A client whose messages the replica cannot read is told so, and so is the log.
func TestAClientOfAnotherVersionIsRefused(t *testing.T) {
	said := new(logtest.Log)
	r := serve(t, func(c *rpc.ServerConfig) {
		c.Logger = said.Logger()
		c.Check = func(msg []byte) error {
			if string(msg) == "6" {
				return errors.New("version 6")
			}
			return nil
		}
	})
	p := dial(t, r.addr, nil)
	p.Send(1, []byte("5"))
	p.hears(t, "1: ann said 5")
	p.Send(1, []byte("6"))
	select {
	case err := <-p.failed:
		require.Equal(t, codes.FailedPrecondition, status.Code(err))
		require.ErrorContains(t, err, "version 6")
	case <-time.After(wait):
		t.Fatal("the client is not refused")
	}
	require.Contains(t, said.String(), "version 6")
}

func (p *process) hears(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-p.got:
		require.Equal(t, want, got)
	case err := <-p.failed:
		require.NoError(t, err)
	case <-time.After(wait):
		require.FailNow(t, "no answer")
	}
}

func (p *process) fails(t *testing.T, code codes.Code, words string) {
	t.Helper()
	err := p.failure(t)
	require.Equal(t, code, status.Code(err), "%v", err)
	require.ErrorContains(t, err, words)
}

// failure is why the stream failed.
func (p *process) failure(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.failed:
		return err
	case got := <-p.got:
		require.FailNow(t, "an answer", got)
	case <-time.After(wait):
		require.FailNow(t, "no error")
	}
	return nil
}

func TestMessagesGoBothWays(t *testing.T) {
	r := serve(t, nil)
	p := dial(t, r.addr, nil)
	for i := range 100 {
		p.Send(1, fmt.Append(nil, i))
	}
	for i := range 100 {
		p.hears(t, fmt.Sprintf("1: ann said %d", i))
	}
	require.Equal(t, 1, r.Clients())
	large := strings.Repeat("x", api.MaxMessage)
	p.Send(1, []byte(large[:api.MaxMessage-9]))
	p.hears(t, "1: ann said "+large[:api.MaxMessage-9])
	p.Send(9, []byte("to a replica that is not there"))
	p.Close()
	require.Eventually(t, func() bool { return r.Clients() == 0 }, wait, time.Millisecond)
}

func TestAMessageAboveTheLimitEndsTheStreamWithAClearError(t *testing.T) {
	p := dial(t, serve(t, nil).addr, nil)
	p.Send(1, make([]byte, 2*api.MaxMessage))
	p.fails(t, codes.ResourceExhausted, "larger than max")
	require.Eventually(t, func() bool { // what is sent while the stream is away is lost
		p.Send(1, []byte("and works again"))
		return len(p.got) > 0
	}, wait, time.Millisecond)
	p.hears(t, "1: ann said and works again")
}

func TestStreamsThatAreMeantForOthersAreRefused(t *testing.T) {
	r := serve(t, nil)
	p := dial(t, r.addr, func(c *rpc.ClientConfig) { c.Cell = "other" })
	p.Send(1, []byte("x"))
	p.fails(t, codes.FailedPrecondition, `this is a replica of cell "test", not of "other"`)
	p = dial(t, r.addr, func(c *rpc.ClientConfig) { c.Replicas = map[uint32]string{2: r.addr} })
	p.Send(2, []byte("x"))
	p.fails(t, codes.FailedPrecondition, "this is replica 1, not 2")
}

func TestWhatCannotSayWhoItIsIsRefused(t *testing.T) {
	const token = "0123456789abcdef01234567"
	tokens, err := rpc.ParseTokens([]byte("# tokens\n\nbob " + token + "\n"))
	require.NoError(t, err)
	names, secrets := serve(t, nil), serve(t, func(c *rpc.ServerConfig) { c.TrustNames, c.Tokens = false, tokens })
	for _, c := range []struct {
		addr, token, name, words string
	}{
		{names.addr, "", "", "says no name"},
		{names.addr, "", "*", "cannot be the name of a principal"},
		{names.addr, token, "ann", "does not know the token"},
		{secrets.addr, "", "ann", "shows no token"},
		{secrets.addr, token + "x", "ann", "does not know the token"},
	} {
		p := dial(t, c.addr, func(d *rpc.ClientConfig) { d.Token, d.Principal = c.token, c.name })
		p.Send(1, []byte("x"))
		p.fails(t, codes.Unauthenticated, c.words)
	}
	p := dial(t, secrets.addr, func(d *rpc.ClientConfig) { d.Token, d.Principal = token, "ann" })
	p.Send(1, []byte("x"))
	p.hears(t, "1: bob said x")
}

// Names of users are not all ASCII.
func TestANameOfAnyCharactersIsHeard(t *testing.T) {
	r := serve(t, nil)
	for _, name := range []string{"jürgen", "~", "山田", `DOM\ann`} {
		p := dial(t, r.addr, func(d *rpc.ClientConfig) { d.Principal = name })
		p.Send(1, []byte("x"))
		p.hears(t, "1: "+name+" said x")
	}
}

func TestTokenFilesAreReadStrictly(t *testing.T) {
	for text, words := range map[string]string{
		"":                                "no tokens",
		"\xef\xbb\xbfann " + long:         "begins with a byte order mark",
		"bob":                             "line 1 has 1 fields",
		"# a\nbob short":                  "line 2: the token of bob has 5 characters",
		"bob ö" + long:                    "line 1: the token of bob has other characters than visible ones of ASCII",
		"* 0123456789abcdef01234567":      "cannot be the name of a principal",
		"a " + long + "\n" + "b " + long:  "b and a have the same token",
		"a " + long + " for the backup\n": "line 1 has 5 fields",
	} {
		_, err := rpc.ParseTokens([]byte(text))
		require.ErrorContains(t, err, words)
	}
}

const long = "0123456789abcdef0123456789"

func TestThereAreSoManyClientsAtMost(t *testing.T) {
	r := serve(t, func(c *rpc.ServerConfig) { c.MaxClients = 1 })
	a, b := dial(t, r.addr, nil), dial(t, r.addr, nil)
	a.Send(1, []byte("x"))
	a.hears(t, "1: ann said x")
	b.Send(1, []byte("x"))
	b.fails(t, codes.ResourceExhausted, "1 clients are connected to replica 1, which is its limit")
}

// Before a replica knows who calls it takes no more metadata than a call needs.
func TestMetadataAreBounded(t *testing.T) {
	r := serve(t, nil)
	p := dial(t, r.addr, func(d *rpc.ClientConfig) { d.Cell = strings.Repeat("x", 15<<10) })
	p.Send(1, []byte("x"))
	p.fails(t, codes.FailedPrecondition, "this is a replica of cell")
	p = dial(t, r.addr, func(d *rpc.ClientConfig) { d.Cell = strings.Repeat("x", 17<<10) })
	p.Send(1, []byte("x"))
	p.fails(t, codes.Internal, "header list size")
}

// There are so many connections at most. Those of strangers, be they silent or idle behind a handshake of TLS, neither
// keep a client out nor end its connection.
func TestStrangersKeepNoClientOut(t *testing.T) {
	ca := certtest.New(t)
	secure := func(c *rpc.ServerConfig) {
		c.TrustNames, c.TLS = false, &tls.Config{Certificates: []tls.Certificate{ca.Issue(t, "replica")}, ClientCAs: ca.Pool}
	}
	silent := func(addr string) (net.Conn, error) { return net.Dial("tcp", addr) }
	for name, c := range map[string]struct {
		secure  func(*rpc.ServerConfig)
		connect func(addr string) (net.Conn, error)
		client  *tls.Config
	}{
		"silent":       {func(*rpc.ServerConfig) {}, silent, nil},
		"no handshake": {secure, silent, &tls.Config{RootCAs: ca.Pool, Certificates: []tls.Certificate{ca.Issue(t, "ann")}}},
		"no stream": {secure, func(addr string) (net.Conn, error) {
			return tls.Dial("tcp", addr, &tls.Config{RootCAs: ca.Pool, NextProtos: []string{"h2"}})
		}, &tls.Config{RootCAs: ca.Pool, Certificates: []tls.Certificate{ca.Issue(t, "ann")}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, func(s *rpc.ServerConfig) { c.secure(s); s.MaxClients = 1 })
			fill := func() net.Conn {
				var first net.Conn
				for range rpc.Connections(1) + 2 {
					conn, err := c.connect(r.addr)
					require.NoError(t, err)
					t.Cleanup(func() { conn.Close() })
					if first == nil {
						first = conn
					}
				}
				return first
			}
			first := fill()
			p := dial(t, r.addr, func(d *rpc.ClientConfig) { d.TLS = c.client })
			p.Send(1, []byte("x"))
			p.hears(t, "1: ann said x")
			fill()
			p.Send(1, []byte("y"))
			p.hears(t, "1: ann said y")
			require.NoError(t, first.SetDeadline(time.Now().Add(wait)))
			_, err := io.Copy(io.Discard, first)
			require.NotErrorIs(t, err, os.ErrDeadlineExceeded, "it made room")
		})
	}
}

func TestAReplicaThatStopsSaysSoAndOneThatIsNotThereIsUnavailable(t *testing.T) {
	r := serve(t, nil)
	p := dial(t, r.addr, nil)
	p.Send(1, []byte("x"))
	p.hears(t, "1: ann said x")
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	r.Stop(ctx)
	p.fails(t, codes.Unavailable, "replica 1 stops")
	p.Send(1, []byte("x"))
	p.fails(t, codes.Unavailable, "connection refused")
}

func TestHealthAndReflection(t *testing.T) {
	r := serve(t, nil)
	p := dial(t, r.addr, nil)
	ok, err := p.Health(t.Context(), 1)
	require.NoError(t, err)
	require.False(t, ok)
	r.SetServing(true)
	ok, err = p.Health(t.Context(), 1)
	require.NoError(t, err)
	require.True(t, ok)
	_, err = p.Health(t.Context(), 2)
	require.Error(t, err)

	conn, err := grpc.NewClient(r.addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	s, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	require.NoError(t, err)
	require.NoError(t, s.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}))
	a, err := s.Recv()
	require.NoError(t, err)
	var names []string
	for _, n := range a.GetListServicesResponse().Service {
		names = append(names, n.Name)
	}
	require.Subset(t, names, []string{"chubby.v1.Cell", "grpc.health.v1.Health"})
}

func TestWrongConfigurationsAreRefused(t *testing.T) {
	_, err := rpc.NewServer(rpc.ServerConfig{})
	for _, want := range []string{"no cell name", "id of the replica is 0", "no Deliver", "no client could say who it is"} {
		require.ErrorContains(t, err, want)
	}
	_, err = rpc.NewClient(rpc.ClientConfig{})
	require.ErrorContains(t, err, "no replicas")
	_, err = rpc.NewClient(rpc.ClientConfig{Replicas: map[uint32]string{0: "nowhere"}})
	require.ErrorContains(t, err, "give host:port")
	s, err := rpc.NewServer(rpc.ServerConfig{Cell: "c", Replica: 1, TrustNames: true, Deliver: func(uint64, api.Principal, []byte) bool { return true }})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	require.ErrorContains(t, s.Serve(l), "not a loopback address")
	s.Stop(t.Context())
}

// The generated code is that of the proto files.
func TestTheGeneratedCodeIsThatOfTheProtoFiles(t *testing.T) {
	for name, f := range map[string]protoreflect.FileDescriptor{
		"cell.proto": chubbyv1.File_chubbyv1_cell_proto, "operator.proto": chubbyv1.File_chubbyv1_operator_proto,
	} {
		raw, err := os.ReadFile("chubbyv1/" + name)
		require.NoError(t, err)
		text := regexp.MustCompile(`(?m)//.*$`).ReplaceAllString(string(raw), "")
		stream := map[bool]string{true: "stream "}
		lines := []string{"package " + string(f.Package()) + ";"}
		for i := range f.Messages().Len() {
			m := f.Messages().Get(i)
			lines = append(lines, "message "+string(m.Name())+" {")
			for j := range m.Fields().Len() {
				d := m.Fields().Get(j)
				kind := d.Kind().String()
				if d.Message() != nil {
					kind = string(d.Message().Name())
				}
				if d.IsList() {
					kind = "repeated " + kind
				}
				lines = append(lines, fmt.Sprintf("%s %s = %d;", kind, d.Name(), d.Number()))
			}
		}
		for i := range f.Services().Len() {
			s := f.Services().Get(i)
			lines = append(lines, "service "+string(s.Name())+" {")
			for j := range s.Methods().Len() {
				m := s.Methods().Get(j)
				lines = append(lines, fmt.Sprintf("rpc %s(%s%s) returns (%s%s);", m.Name(),
					stream[m.IsStreamingClient()], m.Input().Name(), stream[m.IsStreamingServer()], m.Output().Name()))
			}
		}
		for _, line := range lines {
			require.Contains(t, text, line)
		}
		require.Equal(t, len(lines), strings.Count(text, ";")+strings.Count(text, " {\n")-2, "syntax and go_package are not in the descriptor's lists")
	}
}
