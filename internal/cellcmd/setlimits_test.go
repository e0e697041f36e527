package cellcmd

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	grpccodes "google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/cli"
)

// A connection that breaks behind a request leaves open whether the limits were changed, as a call
// that lasted too long does: the words say how to see it.
func TestWhetherLimitsWereChangedIsSaid(t *testing.T) {
	const look = "chubby limits shows whether they were changed"
	for _, x := range []struct {
		code grpccodes.Code
		exit int
		says string
	}{
		{grpccodes.Unavailable, cli.ExitTimeout, look},
		{grpccodes.DeadlineExceeded, cli.ExitTimeout, look},
		{grpccodes.Unknown, cli.ExitTimeout, look},
		{grpccodes.InvalidArgument, cli.ExitRefused, "replica 3: words"},
		{grpccodes.PermissionDenied, cli.ExitPermission, "replica 3: words"},
		{grpccodes.Unimplemented, cli.ExitRefused, "nothing was changed"},
	} {
		err := setLimitsError(3, grpcstatus.Error(x.code, "words"))
		var f *cli.Failure
		require.True(t, errors.As(err, &f), x.code)
		require.Equal(t, x.exit, f.Code, x.code)
		require.ErrorContains(t, err, x.says)
		require.Equal(t, x.says == look, strings.Contains(err.Error(), look), x.code)
	}
}
