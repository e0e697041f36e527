package server

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chubbycell/chubby/internal/logtest"
)

// The log has a certificate when it is not valid yet, when it should be renewed, when it has expired, and twice a day in
// between; one that takes its place begins anew.
func TestTheLogHasCertificatesThatExpire(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	l, old := expiryLog{}, expiry{"server_cert", now.Add(-10 * renewWithin), now.Add(renewWithin + time.Hour)}
	due := func(at time.Duration, e expiry) []expiry { return l.due([]expiry{e}, now.Add(at)) }
	require.Empty(t, due(0, old))
	require.Equal(t, []expiry{old}, due(2*time.Hour, old))
	require.Empty(t, due(13*time.Hour, old))
	require.Equal(t, []expiry{old}, due(14*time.Hour, old))
	require.Equal(t, []expiry{old}, due(renewWithin+90*time.Minute, old), "it has expired")
	require.Empty(t, due(renewWithin+2*time.Hour, old))
	next := expiry{"server_cert", now.Add(-10 * renewWithin), now.Add(2*renewWithin + 3*time.Hour)}
	require.Empty(t, due(renewWithin+2*time.Hour, next))
	require.Equal(t, []expiry{next}, due(renewWithin+4*time.Hour, next))
	require.Len(t, l, 1, "that which it replaced is forgotten")

	young := expiry{"peer_cert", now.Add(renewWithin), now.Add(10 * renewWithin)}
	require.Equal(t, []expiry{young}, due(0, young), "it is not valid yet")
	require.Empty(t, due(time.Hour, young))
	require.Equal(t, []expiry{young}, due(13*time.Hour, young))
	require.Empty(t, due(renewWithin+time.Hour, young), "it is valid")
	require.Equal(t, []expiry{young}, due(10*renewWithin-time.Hour, young), "it expires soon")
}

// New files that are refused for their rights, or cannot be read for a moment, are read again once that is mended: their
// contents, and the time of their last change, stay as they are then. The log has the fault once.
func TestBadFilesAreReadAgainUntilTheyAreGood(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes are those of unix, which the machines of .ci/run have")
	}
	said := new(logtest.Log)
	tokens := filepath.Join(t.TempDir(), "tokens")
	write := func(text string, mode os.FileMode) {
		require.NoError(t, os.WriteFile(tokens+".new", []byte(text), mode))
		require.NoError(t, os.Chmod(tokens+".new", mode))
		require.NoError(t, os.Rename(tokens+".new", tokens))
	}
	write("ann "+strings.Repeat("a", 24)+"\n", 0o600)
	s := &Server{cfg: Config{TokenFile: tokens}, log: said.Logger()}
	require.NoError(t, s.newSecrets())
	look := func() (err error) {
		for range 2 { // a file must stay as it is from one look to the next
			err = s.renewChanged()
		}
		return err
	}
	require.NoError(t, look())
	require.Empty(t, said.String(), "nothing has changed")

	write("ann "+strings.Repeat("b", 24)+"\n", 0o644)
	require.ErrorContains(t, look(), "all users of this machine may use")
	require.ErrorContains(t, look(), "all users of this machine may use")
	require.Equal(t, 1, strings.Count(said.String(), "the old ones stay: new files are bad"), "%v", said)
	require.NoError(t, os.Chmod(tokens, 0o600))
	require.NoError(t, look())
	require.Equal(t, 1, strings.Count(said.String(), "files were read again"), "%v", said)
	require.Empty(t, s.secrets.warnings(time.Now()))
	require.NoError(t, look())
	require.Equal(t, 1, strings.Count(said.String(), "files were read again"), "once: %v", said)

	write("ann short\n", 0o600)
	require.Error(t, look())
	write("ann shorter\n", 0o600)
	require.Error(t, look())
	require.Equal(t, 3, strings.Count(said.String(), "the old ones stay: new files are bad"), "another fault, and other files: %v", said)
	require.Error(t, s.Reload())
	require.Equal(t, 4, strings.Count(said.String(), "the old ones stay: new files are bad"), "it was asked for: %v", said)
}
