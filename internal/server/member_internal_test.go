package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestADirectoryIsMadeWithThoseAboveIt(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a", "b/c/d", "b/c/d", ".", filepath.Join(t.TempDir(), "e", "f")} {
		require.NoError(t, makeDir(name))
		require.DirExists(t, name)
	}
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	require.Error(t, makeDir("file"))
	require.Error(t, makeDir("file/below"))
}
