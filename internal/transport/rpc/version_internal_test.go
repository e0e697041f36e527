package rpc

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/internal/transport/rpc/chubbyv1"
	"github.com/chubbycell/chubby/internal/versions"
	"github.com/chubbycell/chubby/replica/api"
)

// within bounds what these tests wait for.
const within = 20 * time.Second

// program is what a program with such versions knows. Its translation of a message writes the version in front.
func program(oldest, newest byte) formats {
	return formats{versions.Range{Oldest: oldest, Newest: newest}, func(msg []byte, to byte) ([]byte, error) {
		return fmt.Appendf(nil, "in version %d: %s", to, msg), nil
	}}
}

// echo is a replica of a program that answers each message with it.
func echo(t *testing.T, knows formats) (addr string, log *logtest.Log) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	log = new(logtest.Log)
	var s *Server
	s, err = NewServer(ServerConfig{Cell: "test", Replica: 1, TrustNames: true, messages: knows, Logger: log.Logger(),
		Deliver: func(from uint64, _ api.Principal, msg []byte) bool {
			s.Send(from, fmt.Appendf(nil, "you said %q", msg))
			return true
		}})
	require.NoError(t, err)
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.Serve(l) })
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		s.Stop(ctx)
		wg.Wait()
	})
	return l.Addr().String(), log
}

// talk sends a message as a client of a program, and returns the answer or the error of the stream.
func talk(t *testing.T, addr string, knows formats) (answer string, err error) {
	t.Helper()
	got, failed := make(chan string, 10), make(chan error, 10)
	c, err := NewClient(ClientConfig{
		Replicas: map[uint32]string{1: addr}, Principal: "ann", messages: knows,
		Deliver: func(_ uint32, msg []byte) { got <- string(msg) }, Failed: func(_ uint32, err error) { failed <- err },
	})
	require.NoError(t, err)
	defer c.Close()
	c.Send(1, []byte("hello"))
	select {
	case answer = <-got:
		return answer, nil
	case err = <-failed:
		return "", err
	case <-time.After(within):
		t.Fatal("no answer")
	}
	return "", nil
}

// A client and a replica talk in the highest version that both know. The newer one translates what it sends.
func TestAClientAndAReplicaTalkInTheHighestVersionThatBothKnow(t *testing.T) {
	for _, c := range []struct {
		client, replica formats
		want            string
	}{
		{program(5, 5), program(5, 5), `you said "hello"`},
		{program(5, 5), program(5, 7), `in version 5: you said "hello"`},
		{program(5, 7), program(5, 5), `you said "in version 5: hello"`},
		{program(6, 7), program(5, 6), `you said "in version 6: hello"`},
	} {
		addr, _ := echo(t, c.replica)
		got, err := talk(t, addr, c.client)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// Without a common version both sides say which program is the older one, and what to do.
func TestWithoutACommonVersionTheOlderSideIsNamed(t *testing.T) {
	for want, c := range map[string]struct{ client, replica formats }{
		"the client knows version 5 of the messages, and the replica 6 to 7; the client has the older program: start it with a newer one": {program(5, 5), program(6, 7)},
		"the client knows version 6 of the messages, and the replica 5; the replica has the older program: replace the program of the":    {program(6, 6), program(5, 5)},
	} {
		addr, log := echo(t, c.replica)
		_, err := talk(t, addr, c.client)
		var v *VersionError
		require.ErrorAs(t, err, &v)
		require.Equal(t, VersionError{Client: c.client.known, Replica: c.replica.known}, *v)
		require.Equal(t, codes.FailedPrecondition, status.Code(err))
		require.ErrorContains(t, err, want)
		require.Eventually(t, func() bool { return len(log.String()) > 0 }, within, time.Millisecond)
		require.Contains(t, log.String(), want)
	}
}

// A client of the program before, which says no versions, is served in the one that it knew, or told that it is older.
func TestAClientThatSaysNoVersionsKnowsTheFirst(t *testing.T) {
	stream := func(addr, says string) (string, error) {
		c := &Client{cfg: ClientConfig{}}
		w, err := c.newWay(addr)
		require.NoError(t, err)
		defer w.conn.Close()
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		ctx = metadata.AppendToOutgoingContext(ctx, keyPrincipal, "ann")
		if says != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, keyMessages, says)
		}
		s, err := chubbyv1.NewCellClient(w.conn).Datagrams(ctx)
		require.NoError(t, err)
		_ = s.Send(&chubbyv1.Datagram{Message: []byte("hello")}) // the reason of an error comes by Recv
		d, err := s.Recv()
		return string(d.GetMessage()), err
	}
	addr, _ := echo(t, program(5, 6))
	got, err := stream(addr, "")
	require.NoError(t, err)
	require.Equal(t, `in version 5: you said "hello"`, got)
	_, err = stream(addr, "five")
	require.Equal(t, codes.InvalidArgument, status.Code(err))
	require.ErrorContains(t, err, `chubby-messages: "five" is no range of versions`)
	addr, _ = echo(t, program(6, 6))
	_, err = stream(addr, "")
	require.Equal(t, codes.FailedPrecondition, status.Code(err))
	require.ErrorContains(t, err, "the client has the older program")
}
