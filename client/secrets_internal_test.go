package client

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A file that was bad is read again, even if what made it good is not seen in its time and size: a change of
// who may read it, for instance.
func TestASecretThatWasBadIsReadAgain(t *testing.T) {
	file, at := filepath.Join(t.TempDir(), "token"), time.Unix(1000, 0)
	write := func(text string, at time.Time) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(file, at, at))
	}
	write("old", at)
	s, err := newSecrets(Target{TokenFile: file}, nil)
	require.NoError(t, err)
	at = at.Add(time.Second)
	write("a b", at)
	require.Equal(t, "old", s.newestToken())
	write("new", at)
	require.Equal(t, "new", s.newestToken())
}
