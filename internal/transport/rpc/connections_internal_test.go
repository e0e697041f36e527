package rpc

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/logtest"
	"github.com/chubbycell/chubby/replica/api"
)

// A machine that connects again and again where there is no room does not fill the log.
func TestConnectionsWithoutRoomAreLoggedEverMoreRarely(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	log, ended := new(logtest.Log), make(chan struct{})
	full := listener{l, newConnections(0, log.Logger())}
	go func() {
		defer close(ended)
		_, _ = full.Accept() // until it is closed
	}()
	for range 64 {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		_, err = c.Read(make([]byte, 1))
		require.Error(t, err)
		c.Close()
	}
	require.NoError(t, l.Close())
	<-ended
	require.Equal(t, 7, strings.Count(log.String(), "there are too many"), "%v", log) // the 1st, 2nd, 4th ... 64th
	require.Contains(t, log.String(), "times=64")
}

// at is a connection from an address, which is closed or not.
type at struct {
	net.Conn
	addr     string
	isClosed bool
}

func (c *at) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.addr)) }
func (c *at) Close() error         { c.isClosed = true; return nil }

// closed are the connections that are closed, of some.
func closed(all ...*at) (which []int) {
	for i, c := range all {
		if c.isClosed {
			which = append(which, i)
		}
	}
	return which
}

// The oldest connection that is not proven makes room for another one.
func TestUnprovenConnectionsMakeRoom(t *testing.T) {
	log := new(logtest.Log)
	all := newConnections(2, log.Logger())
	a, b, c, d := &at{addr: "10.0.0.1:1"}, &at{addr: "10.0.0.2:1"}, &at{addr: "10.0.0.3:1"}, &at{addr: "10.0.0.4:1"}
	inA, inB := all.admit(a), all.admit(b)
	require.NotNil(t, inA)
	require.NotNil(t, inB)
	require.Empty(t, log.String())
	require.True(t, all.prove(inA.RemoteAddr(), "ann"))
	inC := all.admit(c)
	require.NotNil(t, inC)
	require.Equal(t, []int{1}, closed(a, b, c, d), "b is the oldest one that is not proven")
	require.Contains(t, log.String(), "remote=10.0.0.2:1 connections=2 times=1")
	require.NoError(t, inB.Close(), "gRPC closes it, too")
	require.True(t, all.prove(inB.RemoteAddr(), "ann"))
	require.False(t, all.prove(inC.RemoteAddr(), "bob"), "a place is left for those that are not proven")
	require.NotNil(t, all.admit(d))
	require.Equal(t, []int{1, 2}, closed(a, b, c, d))
	require.NoError(t, inA.Close())
	require.Empty(t, all.proven)
}

// Where as many are proven as may be, the newest one of the principal with the most makes room for one of another
// principal that has fewer.
func TestThePrincipalWithTheMostConnectionsLosesOne(t *testing.T) {
	all := newConnections(16, slog.New(slog.DiscardHandler))
	var conns []*at
	prove := func(who api.Principal) bool {
		conns = append(conns, &at{addr: "10.0.0.1:1"})
		in := all.admit(conns[len(conns)-1])
		require.NotNil(t, in, "there is room for one that is not proven")
		ok := all.prove(in.RemoteAddr(), who)
		if !ok {
			require.NoError(t, in.Close())
		}
		return ok
	}
	for range 3 {
		require.True(t, prove("bob"))
	}
	for range 11 {
		require.True(t, prove("eve"))
	}
	require.False(t, prove("eve"))
	require.Equal(t, []int{14}, closed(conns...), "no other one made room")
	for i := range 7 {
		require.Equal(t, i < 5, prove("ann"), "%d", i)
	}
	require.Equal(t, []int{9, 10, 11, 12, 13, 14, 20, 21}, closed(conns...))
	require.Equal(t, tally{"ann": 5, "bob": 3, "eve": 6}, all.proven)
}

// A stop closes the connections that are not proven, and admits no other.
func TestAStopOfConnections(t *testing.T) {
	all := newConnections(9, slog.New(slog.DiscardHandler))
	a, b, c := &at{addr: "10.0.0.1:1"}, &at{addr: "10.0.0.2:1"}, &at{addr: "10.0.0.3:1"}
	in := all.admit(a)
	all.prove(in.RemoteAddr(), "ann")
	require.NotNil(t, all.admit(b))
	for range 2 {
		all.stop()
		require.Equal(t, []int{1}, closed(a, b, c))
		require.Nil(t, all.admit(c))
	}
}

// A stop does not wait for strangers: neither for one that says nothing, nor for one that watches.
func TestAStopDoesNotWaitForStrangers(t *testing.T) {
	inBubble(t, func(t *testing.T, b bubble) {
		silent := b.dial(t)
		conn := b.conn(t)
		watch(t.Context(), t, conn)
		synctest.Wait() // the server waits for what silent says
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		b.Stop(ctx)
		require.Equal(t, start, time.Now(), "no time has passed in the bubble")
		_, err := io.Copy(io.Discard, silent)
		require.NoError(t, err, "the server has ended it")
	})
}

// A client that was authenticated may end by itself until the context of Stop ends.
func TestAStopWaitsForClientsUntilItsContextEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, b bubble) {
		conn := b.conn(t)
		watch(proven(t), t, conn)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		b.Stop(ctx)
		require.Equal(t, 2*time.Second, time.Since(start), "by the clock of the bubble")
	})
}
