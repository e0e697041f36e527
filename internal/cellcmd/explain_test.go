package cellcmd

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	grpccodes "google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/client"
	"github.com/chubbycell/chubby/internal/cli"
)

// A caller without a certificate is refused by the replicas that run, whichever is down.
func TestARefusalDecidesTheExitCode(t *testing.T) {
	o := &operator{target: client.Target{Cell: "prod", Replicas: map[uint32]string{1: "a:1", 2: "b:1", 3: "c:1"}}}
	down, late := grpcstatus.Error(grpccodes.Unavailable, "connection refused"), grpcstatus.Error(grpccodes.DeadlineExceeded, "no answer in time")
	refused := grpcstatus.Error(grpccodes.Unauthenticated, "no certificate")
	o.within = 3 * askFor
	for _, c := range []struct {
		errs []error
		code int
		says string
	}{
		{[]error{refused, down, refused}, cli.ExitPermission, "replica 1 at a:1: no certificate\nreplica 2 at b:1: connection refused"},
		{[]error{down, refused, refused}, cli.ExitPermission, "replica 1 at a:1: connection refused\nreplica 2 at b:1: no certificate"},
		{[]error{down, late, refused}, cli.ExitPermission, "replica 3 at c:1: no certificate"},
		{[]error{down, late, down}, cli.ExitTimeout, "no replica of cell prod answers\nreplica 1 at a:1: connection refused"},
	} {
		var all []description
		for i, err := range c.errs {
			all = append(all, description{id: uint32(i + 1), err: err})
		}
		err := o.silence(all)
		var f *cli.Failure
		require.True(t, errors.As(err, &f), "%v", err)
		require.Equal(t, c.code, f.Code, "%v", err)
		require.Contains(t, err.Error(), c.says)
	}
	o.within = time.Millisecond
	require.ErrorContains(t, o.silence([]description{{id: 1, err: late}}), "no replica of cell prod answers within 1ms (--timeout)\nreplica 1")
}
