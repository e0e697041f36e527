package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// What was said of a replica long ago is told with its age: no message has been sent to it since, and it
// may serve again.
func TestAnOutageIsToldWithItsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dialed{target: Target{Replicas: map[uint32]string{1: "a:1", 2: "b:2"}}, errs: map[uint32]outage{}, tls: map[uint32]bool{}, masters: map[uint32]uint32{}}
		ctx, returned := context.WithCancel(t.Context())
		returned()
		d.ctx = ctx
		d.rt = NewRuntime(func(uint32, []byte) {})
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
