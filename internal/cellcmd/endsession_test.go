//go:build unix

package cellcmd

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	grpccodes "google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/chubbycell/chubby/internal/cli"
)

// holderOf is the session that holds the lock of a path.
func holderOf(t *testing.T, file, path string) string {
	t.Helper()
	code, out, said := run(t, "session", "locks", "--cell", file, path)
	require.Equal(t, cli.ExitClean, code, said)
	m := regexp.MustCompile(`exclusive +(\d+) `).FindStringSubmatch(out)
	require.NotNil(t, m, out)
	return m[1]
}

// The master that took the order resigns: the command repeats the order at the next one, and ends when the session has
// ended. The holder of the lock is told.
func TestTheEndOfASessionIsOrderedAgainAfterAFailOver(t *testing.T) {
	t.Parallel()
	_, file := startDev(t, "--session-lease", "3s")
	holder := start(t, "lock", "--cell", file, "--lock-delay", "3s", "/stuck", "--", "sh", "-c", "echo held; exec sleep 1000")
	holder.says(t, "held")
	session := holderOf(t, file, "/stuck")
	end := start(t, "session", "end", "--cell", file, session)
	end.says(t, `session `+session+` of \S+ gets no further lease: it ends in \d`)
	code, _, said := run(t, "members", "resign", "--cell", file)
	require.Equal(t, cli.ExitClean, code, said)
	require.Equal(t, cli.ExitClean, end.ends(t))
	out, said := end.text()
	require.Equal(t, "session "+session+" has ended\n", out)
	require.Contains(t, said, "the master has changed; session "+session+" of ")
	require.Equal(t, cli.ExitLost, holder.ends(t))
}

// A replica that does not take the order says why, and whether it may have taken it.
func TestTheEndOfASessionThatIsNotOrdered(t *testing.T) {
	for code, c := range map[grpccodes.Code]struct {
		exit int
		says string
	}{
		grpccodes.PermissionDenied:   {cli.ExitPermission, "replica 2: no"},
		grpccodes.FailedPrecondition: {cli.ExitRefused, "replica 2: no: only its client ends such a session"},
		grpccodes.Unavailable:        {cli.ExitTimeout, "replica 2: no: it may have taken the order; chubby session list says which sessions end"},
		grpccodes.Unimplemented:      {cli.ExitRefused, "replica 2 runs an older program that ends no session on demand: replace its program, or stop the client"},
	} {
		err := endError(2, grpcstatus.Error(code, "no"))
		require.EqualError(t, err, c.says)
		require.Equal(t, c.exit, cli.CodeOf(err))
	}
}
