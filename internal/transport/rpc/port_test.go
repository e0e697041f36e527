package rpc_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/transport/rpc"
	"github.com/chubbycell/chubby/replica/api"
)

// heard is what one port hears.
type heard struct {
	got    chan string
	failed chan error
}

func openPort(t *testing.T, c *rpc.Client) (*rpc.Port, heard) {
	h := heard{make(chan string, 1000), make(chan error, 1000)}
	p, ok := c.Open(func(_ uint32, msg []byte) { h.got <- string(msg) }, func(_ uint32, err error) { h.failed <- err })
	require.True(t, ok)
	return p, h
}

func (h heard) hears(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-h.got:
		require.Equal(t, want, got)
	case <-time.After(wait):
		require.FailNow(t, "no answer")
	}
}

// Clients of one process share a stream: each hears the replies to what it has sent, and no
// others, and the replica tells them apart.
func TestPortsShareAStream(t *testing.T) {
	from := map[string]uint64{}
	r := serve(t, func(c *rpc.ServerConfig) {
		answer := c.Deliver
		c.Deliver = func(client uint64, who api.Principal, msg []byte) bool {
			from[string(msg)] = client
			return answer(client, who, msg)
		}
	})
	p := dial(t, r.addr, nil)
	one, hears1 := openPort(t, p.Client)
	two, hears2 := openPort(t, p.Client)
	for i := range 100 {
		one.Send(1, fmt.Appendf(nil, "one %d", i))
		two.Send(1, fmt.Appendf(nil, "two %d", i))
	}
	for i := range 100 {
		hears1.hears(t, fmt.Sprint("ann said one ", i))
		hears2.hears(t, fmt.Sprint("ann said two ", i))
	}
	p.Send(1, []byte("zero"))
	p.hears(t, "1: ann said zero")
	require.Equal(t, 1, r.Clients(), "streams")
	require.NotEqual(t, from["one 1"], from["two 1"])
	require.Equal(t, from["one 1"], from["one 99"])

	one.Close()
	third, hears3 := openPort(t, p.Client)
	one.Send(1, []byte("late"))
	third.Send(1, []byte("three"))
	hears3.hears(t, "ann said three")
	require.Empty(t, hears1.got, "a port that is closed")
	require.NotEqual(t, from["one 1"], from["three"], "no number comes twice")

	r.Stop(t.Context())
	for _, h := range []heard{hears2, hears3} {
		select {
		case err := <-h.failed:
			require.Error(t, err)
		case <-time.After(wait):
			require.FailNow(t, "all ports are told that the stream ended")
		}
	}
	require.Empty(t, hears1.failed)
	require.Error(t, errors.Join(<-p.failed))
}
